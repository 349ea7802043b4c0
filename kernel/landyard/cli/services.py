"""The words that concern the service as a whole: `load`, `dump`, `methods`, `settings`."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from sqlalchemy import make_url

from landyard.console import Console
from landyard.settings import Settings


@click.command()
@click.argument("world", metavar="WORLD.json", type=click.Path(allow_dash=True, path_type=Path))
@click.pass_obj
def load(console: Console, world: Path) -> None:
    """Load a world file, all of it or nothing.

    `-` reads standard input. Rows are found by id, secrets by digest, manifests and templates
    by code; what the file lists wins, what it does not list stays.
    """
    if str(world) == "-":
        text = sys.stdin.buffer.read()
    else:
        try:
            text = world.read_bytes()
        except OSError as error:
            raise click.ClickException(f"{world}: {error.strerror}") from error
    with console.kernel() as kernel, console.progress("loading") as progress:
        done = kernel.load(text, progress)
    console.say(f"{done.created} created, {done.updated} updated, {done.unchanged} unchanged")


@click.command()
@click.pass_obj
def dump(console: Console) -> None:
    """Write the service as a world file.

    To standard output; webhooks and tokens are left out, for only their digests are kept.
    """
    with console.kernel() as kernel:
        sys.stdout.buffer.write(kernel.dump())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def methods(console: Console, as_json: bool) -> None:
    """List the methods that are on."""
    with console.kernel(prepare=False) as kernel:
        rows = [
            (
                method.name,
                method.scope,
                method.plugin,
                method.writes,
                sorted(error.code for error in method.errors),
                method.doc.partition("\n")[0],
            )
            for method in kernel.methods
        ]
    if as_json:
        columns: tuple[str, ...] = ("name", "scope", "plugin", "writes", "errors", "summary")
        console.table(columns, rows, as_json=True)
    else:
        console.table(
            ("name", "scope", "plugin", "what it does"), [(*row[:3], row[5]) for row in rows]
        )


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def settings(console: Console, as_json: bool) -> None:
    """Show the settings in force; passwords stay hidden."""
    with console.kernel(prepare=False) as kernel:
        used = kernel.settings
        rows: list[tuple[str, Any]] = [
            (field.name, _plain(used, field.name))
            for field in msgspec.structs.fields(Settings)
            if field.name != "plugins"
        ]
        for name, section in kernel.sections.items():
            rows += [
                (f"{name}.{key}", value) for key, value in msgspec.to_builtins(section).items()
            ]
    console.table(("setting", "value"), rows, as_json=as_json)


def _plain(used: Settings, name: str) -> Any:
    if name == "database_url":
        return make_url(used.database).render_as_string(hide_password=True)
    value = getattr(used, name)
    return str(value) if isinstance(value, Path) else value
