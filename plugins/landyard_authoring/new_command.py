"""The command `landyard plugins new`."""

import shlex
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click

from landyard import Console
from landyard_authoring.new_package import PIECES, ScaffoldError, write_package

BEGINNING = (
    "pip install --upgrade pip  # --group needs pip 25.1 or newer",
    "pip install --editable . --group dev",
    "python -m pytest",
)
"""The first commands in a new plugin's folder; keep its README.md and the tutorial the same."""


@click.group()
def plugins() -> None:
    """Add a subcommand to the kernel's group `plugins`."""


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
    help=f"Pieces besides a method, separated by commas: {', '.join(PIECES)}.",
)
@click.pass_obj
def new(console: Console, name: str, into: Path, pieces: str | None) -> None:
    """Write the package of a new plugin, with a method and tests.

    On a terminal it asks for each further piece, unless `--with` is given.
    """
    try:
        folder = write_package(name, into, _installed(), _chosen_pieces(pieces))
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from error
    console.say(f"{folder} is a plugin that works; its README.md says how to go on. To begin:\n")
    console.say(f"  cd {shlex.quote(str(folder))}")
    for line in BEGINNING:
        console.say(f"  {line}")


def _chosen_pieces(pieces: str | None) -> list[str]:
    """Return the chosen pieces from the option, or ask for them on a terminal."""
    if pieces is None:
        return [
            each for each in PIECES if _is_interactive() and click.confirm(f"With {_one(each)}?")
        ]
    chosen = [each.strip() for each in pieces.split(",") if each.strip()]
    if unknown := [each for each in chosen if each not in PIECES]:
        raise ScaffoldError(f"--with {', '.join(unknown)}: choose of {', '.join(PIECES)}")
    return chosen


def _one(piece: str) -> str:
    return f"an {piece}" if piece[0] in "aeiou" else f"a {piece}"


def _is_interactive() -> bool:
    return sys.stdin.isatty()


def _installed() -> set[str]:
    """Return the names of the installed plugins, on or off."""
    every = entry_points()
    groups = ("landyard", "landyard.contrib")
    return {entry.name for group in groups for entry in every.select(group=group)}
