"""`landyard plugins new`."""

from importlib.metadata import entry_points
from pathlib import Path

import click

from landyard import Console
from landyard_scaffold.package import ScaffoldError, write_package


@click.group()
def plugins() -> None:
    """Bring a word beside the kernel's own."""


@plugins.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="The folder to write the package into.",
)
@click.pass_obj
def new(console: Console, name: str, into: Path) -> None:
    """Write the package of a new plugin, with a method and tests."""
    try:
        folder = write_package(name, into, _installed())
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from error
    console.say(f"{folder} is a plugin that works; its README.md says how to go on")


def _installed() -> set[str]:
    """Name the plugins that are installed, on or off."""
    every = entry_points()
    groups = ("landyard", "landyard.contrib")
    return {entry.name for group in groups for entry in every.select(group=group)}
