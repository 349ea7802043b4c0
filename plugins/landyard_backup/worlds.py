"""The commands `landyard load` and `landyard dump` for world files."""

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
    """Load a world file, completely or not at all.

    `-` reads standard input. Rows are matched by id, credentials by their secret's digest, rows of
    plugins by each plugin's rule. Listed rows are overwritten; unlisted rows stay. References to
    missing pages are left out, with a warning.
    """

    def write(unit: UnitOfWork) -> Tally:
        tally = host.world.load(file, unit.connection, host.now(), bar.update)
        if tally.created or tally.updated:
            console.record(host, unit)
        return tally

    with _seekable(world) as (file, size), console.host() as host:
        for state in host.resolution.states:
            if state.state == "failed":
                warning = f"Warning: plugin '{state.name}' has failed, so its lists are not loaded"
                click.echo(f"{warning}: {state.reason}", err=True)
        with console.progress("loading", length=size) as bar, _collecting_seldom():
            tally = host.store.run(write, writes=True)
    for note in tally.notes[:_MOST_NOTES]:
        click.echo(f"Warning: {note}", err=True)
    if len(tally.notes) > _MOST_NOTES:
        click.echo(f"Warning: and {len(tally.notes) - _MOST_NOTES} more of this kind", err=True)
    console.say(f"{tally.created} created, {tally.updated} updated, {tally.unchanged} unchanged")


@click.command()
@click.pass_obj
def dump(console: Console) -> None:
    """Write the service as a world file.

    It goes to standard output, without webhooks and tokens, whose secrets are not stored.
    """
    with console.host(whole=True) as host:
        pieces = host.dump()
        if sys.stdout.isatty():  # a progress bar would mix with the output
            sys.stdout.buffer.writelines(pieces)
            return
        with console.progress("dumping", items=pieces) as bar:
            sys.stdout.buffer.writelines(bar)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Collect garbage less often, because rows are no garbage; saves a tenth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def _seekable(world: BinaryIO) -> Iterator[tuple[BinaryIO, int]]:
    """Provide a seekable file and its size; a pipe is copied into a file first.

    So the database is not locked while input still arrives.
    """
    with TemporaryFile() as copy:
        file: Any = world
        if not world.seekable():
            shutil.copyfileobj(world, copy)
            file = copy
        yield file, file.seek(0, os.SEEK_END)
