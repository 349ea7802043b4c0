"""The program `landyard`: finds the commands of the kernel and of the plugins, and runs them."""

import os
import sqlite3
import sys
import threading
from contextlib import suppress
from typing import Any

import click
from sqlalchemy.exc import DBAPIError

from landyard.auth.credentials import Refused
from landyard.cli.console import Console, unusable
from landyard.cli.database import db
from landyard.cli.plugin_words import Extended
from landyard.cli.plugins import plugins
from landyard.cli.serving import serve
from landyard.cli.settings import settings
from landyard.core.errors import Busy, Unavailable
from landyard.logs.stream import occupy_standard_streams
from landyard.plugin_host.host_faults import is_host_fault
from landyard.plugin_host.loading import PluginError
from landyard.settings import SettingsError, suggestion
from landyard.storage.schema import SchemaError
from landyard.storage.world import WorldError

_HINT = ". A plugin that is off brings no words: see `landyard plugins list`"
_AT_THE_END = 0.5  # seconds for a thread to come to its end
_EXPECTED = (SettingsError, PluginError, SchemaError, WorldError, Refused, Busy)


def _unfit(error: Exception) -> str:
    """Say that the database answers, and that it lacks what a command wants of it."""
    told = str(getattr(error, "orig", error)).partition("\n")[0]
    return f"{told}; the database may be behind the plugins: run `landyard db upgrade`"


def _leave(end: SystemExit) -> None:
    """End the process with a status, without waiting for threads."""
    with suppress(OSError):  # nobody may read it any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(end.code if isinstance(end.code, int) else int(end.code is not None))


class CommandLine(Extended):
    """The program: it suggests the nearest word, and says what fails in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.NoSuchCommand, click.NoSuchOption) as error:
            # click itself knows no plugin's words, and takes the dashes for likeness.
            known = self.list_commands(ctx) if error.ctx is ctx else error.possibilities or []
            word = getattr(error, "command_name", "") or getattr(error, "option_name", "")
            told = f"{error.message.rstrip('.')}{suggestion(word, known) or _HINT}"
            raise click.UsageError(told, error.ctx) from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program. A thread that a plugin has begun does not hold it at the end."""
        try:
            return super().__call__(*args, **kwargs)
        except SystemExit as end:
            for each in threading.enumerate():
                if each is not threading.current_thread() and not each.daemon:
                    each.join(_AT_THE_END)
                    if each.is_alive():
                        _leave(end)
            raise

    def main(self, *args: Any, **kwargs: Any) -> Any:
        occupy_standard_streams()
        try:
            return super().main(*args, **kwargs)
        except (DBAPIError, Unavailable) as error:
            text = unusable(error) if is_host_fault(error) else _unfit(error)
        except (*_EXPECTED, OSError, UnicodeError, sqlite3.Error) as error:
            text = str(error) or "the database is busy; try again"
        click.echo(f"Error: {text}", err=True)
        sys.exit(1)


@click.group(
    cls=CommandLine,
    commands=[serve, plugins, db, settings],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="landyard")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Answer named methods over HTTP; serve the pages they edit.

    Settings come from landyard.toml, then LANDYARD_* variables, then flags. The data directory
    is LANDYARD_DATA, by default ./landyard-data.
    """
    ctx.obj = Console()
