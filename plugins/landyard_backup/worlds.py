"""`landyard load` and `landyard dump`: load a world file into a service, or write one of it."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import click

from landyard import Console, UnitOfWork

_MOST_NOTES = 20
_NEW_OBJECTS = 200_000


@click.command()
@click.argument("world", metavar="WORLD.json", type=click.File("rb"))
@click.pass_obj
def load(console: Console, world: BinaryIO) -> None:
    """Load a world file, all of it or nothing.

    `-` reads standard input. Rows are matched by id, credentials by their secret's digest, rows of
    plugins as each plugin says. Listed rows win; rows that the file does not list stay.
    Where a dump names a page that is gone, that is left out, and told.
    """

    def write(unit: UnitOfWork) -> tuple[int, int, int, list[str]]:
        done = host.world.load(file, unit.connection, host.now(), bar.update)
        if done.created or done.updated:
            console.record(host, unit)
        return done.created, done.updated, done.unchanged, done.notes

    with _again_and_again(world) as (file, size), console.host() as host:
        for state in host.plugins.states:
            if state.state == "failed":
                warning = f"Warning: plugin '{state.name}' has failed, and loads nothing"
                click.echo(f"{warning}: {state.reason}", err=True)
        with console.progress("loading", length=size) as bar, _collecting_seldom():
            created, updated, unchanged, notes = host.store.run(write, writes=True)
    for note in notes[:_MOST_NOTES]:
        click.echo(f"Warning: {note}", err=True)
    if len(notes) > _MOST_NOTES:
        click.echo(f"Warning: and {len(notes) - _MOST_NOTES} more of this kind", err=True)
    console.say(f"{created} created, {updated} updated, {unchanged} unchanged")


@click.command()
@click.pass_obj
def dump(console: Console) -> None:
    """Write the service as a world file.

    To standard output; webhooks and tokens are left out, for only their digests are kept.
    """
    with console.host(whole=True) as host, host.store.moment() as unit:
        pieces = host.world.dump(unit.session)
        if sys.stdout.isatty():  # it would be written over
            sys.stdout.buffer.writelines(pieces)
            return
        with console.progress("dumping", items=pieces) as bar:
            sys.stdout.buffer.writelines(bar)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Look for garbage once in some batches of rows, which are none of it: a tenth less time."""
    usual = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


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
