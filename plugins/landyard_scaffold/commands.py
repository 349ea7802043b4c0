"""`landyard plugins new`."""

import shlex
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click

from landyard import Console
from landyard_scaffold.package import PIECES, ScaffoldError, write_package

BEGINNING = (
    "pip install --upgrade pip  # --group needs pip 25.1 or newer",
    "pip install --editable . --group dev",
    "python -m pytest",
)
"""How to begin in the folder of a new plugin; its README.md and the tutorial say the same."""


@click.group()
def plugins() -> None:
    """Bring a word beside the kernel's own."""


@plugins.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to make the package's folder, `landyard-NAME`.",
)
@click.option(
    "--with",
    "pieces",
    help=f"What it has besides a method: of {', '.join(PIECES)}, with commas between.",
)
@click.pass_obj
def new(console: Console, name: str, into: Path, pieces: str | None) -> None:
    """Write the package of a new plugin, with a method and tests.

    On a terminal it asks what else the plugin is to have, unless `--with` says so.
    """
    try:
        folder = write_package(name, into, _installed(), _asked(pieces))
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from error
    console.say(f"{folder} is a plugin that works; its README.md says how to go on. To begin:\n")
    console.say(f"  cd {shlex.quote(str(folder))}")
    for line in BEGINNING:
        console.say(f"  {line}")


def _asked(pieces: str | None) -> list[str]:
    """Read what the plugin is to have, or ask where there is somebody to ask."""
    if pieces is None:
        return [each for each in PIECES if _is_asked() and click.confirm(f"With {_one(each)}?")]
    wanted = [each.strip() for each in pieces.split(",") if each.strip()]
    if unknown := [each for each in wanted if each not in PIECES]:
        raise ScaffoldError(f"--with {', '.join(unknown)}: choose of {', '.join(PIECES)}")
    return wanted


def _one(piece: str) -> str:
    return f"an {piece}" if piece[0] in "aeiou" else f"a {piece}"


def _is_asked() -> bool:
    return sys.stdin.isatty()


def _installed() -> set[str]:
    """Name the plugins that are installed, on or off."""
    every = entry_points()
    groups = ("landyard", "landyard.contrib")
    return {entry.name for group in groups for entry in every.select(group=group)}
