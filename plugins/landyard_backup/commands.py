"""`landyard db backup` and `landyard db restore`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from landyard import Console
from landyard_backup.archive import BackupError, Told
from landyard_backup.backup import back_up, size_of
from landyard_backup.backup import restore as put_back


@click.group()
def db() -> None:
    """Bring words beside the kernel's own."""


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup(console: Console, file: Path) -> None:
    """Write the database and the data directory to FILE, a new .tar.gz.

    The service may run meanwhile; all that it answered before is in the backup. FILE can be read
    by its owner alone: it holds digests of credentials, and pages that are not published.
    """
    size = size_of(console.settings().data)
    with (
        _shown(console, "backing up", size) as told,
        console.without_others().host(prepare=False) as host,
    ):
        back_up(host, file, told)
    console.say(f"{file}: {file.stat().st_size:,} bytes")


@db.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def restore(console: Console, file: Path) -> None:
    """Put FILE back into an empty data directory and database.

    All of FILE is examined first. Where anything is wrong nothing is changed.
    """
    size = file.stat().st_size
    with _shown(console, "restoring", size) as told, console.host(prepare=False) as host:
        behind = put_back(host, file, told)
        if not behind:  # else the audit's table may be missing
            host.store.run(lambda unit: console.record(host, unit), writes=True)
    console.say(f"restored from {file}")
    if behind:
        console.say(f"the database lacks {', '.join(behind)}; run `landyard db upgrade`")


@contextmanager
def _shown(console: Console, label: str, size: int) -> Iterator[Told]:
    """Show how far it is, on a terminal only; tell in one line what is wrong."""
    try:
        with console.progress(label, length=size) as bar:
            yield bar.update
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    except FileExistsError as error:
        raise click.ClickException(f"{error.filename} is there already; give a new name") from error
