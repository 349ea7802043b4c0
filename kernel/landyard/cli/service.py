"""The commands `load` and `dump` (world files) and `settings` (those in force)."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import click
import msgspec
from sqlalchemy import make_url

from landyard.cli.console import Console, json_option
from landyard.kernel import Kernel
from landyard.logs import SECRET_KEYS
from landyard.settings import Settings, SettingsError


@click.command()
@click.argument("world", metavar="WORLD.json", type=click.File("rb"))
@click.pass_obj
def load(console: Console, world: BinaryIO) -> None:
    """Load a world file, all of it or nothing.

    `-` reads standard input. Rows are matched by id, credentials by their secret's digest, rows of
    plugins as each plugin says. What the file lists wins, what it does not list stays.
    """
    with _again_and_again(world) as (file, size), console.kernel() as kernel:
        for state in kernel.resolution.states:
            if state.state == "failed":
                warning = f"Warning: plugin '{state.name}' has failed, and loads nothing"
                click.echo(f"{warning}: {state.reason}", err=True)
        with console.progress("loading", length=size) as bar:
            done = kernel.load(file, bar.update)
    console.say(f"{done.created} created, {done.updated} updated, {done.unchanged} unchanged")


@click.command()
@click.pass_obj
def dump(console: Console) -> None:
    """Write the service as a world file.

    To standard output; webhooks and tokens are left out, for only their digests are kept.
    """
    with console.kernel(whole=True) as kernel:
        pieces = kernel.dump_pieces()
        if sys.stdout.isatty():  # it would be written over
            sys.stdout.buffer.writelines(pieces)
            return
        with console.progress("dumping", items=pieces) as bar:
            sys.stdout.buffer.writelines(bar)


@contextmanager
def _again_and_again(world: BinaryIO) -> Iterator[tuple[BinaryIO, int]]:
    """Give a file that can be read from any place, and its size: a pipe is kept in one first.

    The database is not locked before all has come.
    """
    with TemporaryFile() as kept:
        file: Any = world
        if not world.seekable():
            shutil.copyfileobj(world, kept)
            file = kept
        yield file, file.seek(0, os.SEEK_END)


@click.command()
@click.option("--check", is_flag=True, help="Only say what is wrong with them; exits with 1 then.")
@json_option
@click.pass_obj
def settings(console: Console, check: bool, as_json: bool) -> None:
    """Show the settings in force; passwords stay hidden."""
    if check:
        _check(console)
        console.say("the settings are right")
        return
    with console.kernel(prepare=False) as kernel:
        shown = msgspec.to_builtins(kernel.settings, enc_hook=str)
        url = make_url(kernel.settings.database)
        shown["database_url"] = url.render_as_string(hide_password=True)
        del shown["plugins"]
        for name, section in kernel.resolution.sections.items():
            plain = msgspec.to_builtins(section)
            hidden = {key: "…" for key in SECRET_KEYS & plain.keys() if plain[key]}
            shown |= {f"{name}.{key}": value for key, value in (plain | hidden).items()}
    console.table(("setting", "value"), list(shown.items()), as_json=as_json)


def _check(console: Console) -> None:
    """Raise `SettingsError` for every setting that is wrong, the plugins' too."""
    wrong: tuple[str, ...] = ()
    try:
        right = console.settings()
    except SettingsError as error:
        right, wrong = error.right or Settings(), error.args
    try:
        Kernel(right).close()
    except SettingsError as error:
        wrong += error.args
    if wrong:
        raise SettingsError(*wrong)
