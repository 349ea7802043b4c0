"""The commands `landyard db backup` and `landyard db restore`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from landyard import Console
from landyard_backup.archive import BackupError, Progress
from landyard_backup.backup import back_up, size_of
from landyard_backup.backup import restore as put_back


@click.group()
def db() -> None:
    """Add subcommands to the kernel's group `db`."""


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup(console: Console, file: Path) -> None:
    """Write the database and the data directory to FILE, a new .tar.gz.

    The service may run meanwhile; changes answered before the start are in the backup. Only its
    owner can read FILE: it holds digests of credentials, and unpublished pages. Files in a bucket
    are left out.
    """
    size = size_of(console.settings().data)
    with (
        _reporting(console, "backing up", size) as progress,
        console.without_others().host(prepare=False) as host,
    ):
        back_up(host, file, progress)
        is_bucket = bool(host.settings.plugins.get("files", {}).get("url"))
    console.say(f"{file}: {file.stat().st_size:,} bytes")
    if is_bucket:
        console.say("without the uploaded files: the versions of their bucket are the backup")


@db.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def restore(console: Console, file: Path) -> None:
    """Restore FILE into an empty data directory and database.

    FILE is examined completely first. If anything is wrong, nothing is changed.
    """
    size = file.stat().st_size
    with (
        _reporting(console, "restoring", size) as progress,
        console.host(prepare=False) as host,
    ):
        behind = put_back(host, file, progress)
        if not behind:  # if it lacks revisions, the audit's table may be missing
            host.store.run(lambda unit: console.record(host, unit), writes=True)
    console.say(f"restored from {file}")
    if behind:
        console.say(f"the database lacks {', '.join(behind)}; run `landyard db upgrade`")


@contextmanager
def _reporting(console: Console, label: str, size: int) -> Iterator[Progress]:
    """Show progress on a terminal, and turn errors into one-line messages."""
    try:
        with console.progress(label, length=size) as bar:
            yield bar.update
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    except FileExistsError as error:
        raise click.ClickException(f"{error.filename} is there already; give a new name") from error
