"""The command line: `landyard`."""

import sqlite3
import sys
from typing import Any, NoReturn

import click
from sqlalchemy.exc import DBAPIError

from landyard.app import Kernel
from landyard.cli.accounts import token, user, webhook
from landyard.cli.audit import audit
from landyard.cli.database import db
from landyard.cli.plugins import plugins
from landyard.cli.services import dump, load, methods, settings
from landyard.cli.serving import serve
from landyard.console import Console
from landyard.plugins import PluginError
from landyard.schema import SchemaError
from landyard.settings import SettingsError, load_settings
from landyard.world import WorldError
from landyard.writers import Busy

OURS = {
    word.name: word
    for word in (serve, load, dump, user, webhook, token, methods, plugins, audit, db, settings)
    if word.name is not None
}
SAID_PLAINLY = (SettingsError, PluginError, SchemaError, WorldError, Busy)


class Words(click.Group):
    """The kernel's words, and behind them those that plugins bring."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [*OURS, *sorted(_plugin_words())]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        # Plugins are only loaded for a word that is not ours.
        return OURS.get(cmd_name) or _plugin_words().get(cmd_name)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a word; what is wrong is said in one line, without a traceback."""
        try:
            return super().main(*args, **kwargs)
        except SAID_PLAINLY as error:
            _give_up(str(error) or "the database is busy; try again")
        except DBAPIError as error:
            _give_up(f"the database cannot be used: {error.orig}")
        except (OSError, UnicodeError, sqlite3.Error) as error:
            _give_up(str(error))


def _give_up(text: str) -> NoReturn:
    click.echo(f"Error: {text}", err=True)
    sys.exit(1)


@click.group(cls=Words, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="landyard")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Answer named methods over HTTP; serve the pages they edit.

    Settings come from landyard.toml, then LANDYARD_* variables, then flags. The data directory
    is LANDYARD_DATA, by default ./landyard-data.
    """
    ctx.obj = Console()


def _plugin_words() -> dict[str, click.Command]:
    kernel = Kernel(load_settings())
    try:
        return {
            word.name: word for word in kernel.commands() if word.name and word.name not in OURS
        }
    finally:
        kernel.close()
