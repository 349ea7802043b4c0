"""Backs up the database and data directory of a running service, and restores them elsewhere."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from landyard import Host, Tables
from landyard_backup.archive import BackupError, Manifest, Progress, Writer, new_archive, unpack
from landyard_backup.databases import (
    copy_database,
    copy_sqlite,
    heads,
    is_empty,
    main_file,
    restore_database,
)

_DATABASE, _FILES = "database", "data"


def back_up(host: Host, to: Path, progress: Progress) -> None:
    """Write the archive `to`; raises `BackupError`, and `FileExistsError` if the file exists."""
    data = host.settings.data.resolve()
    if to.resolve().is_relative_to(data):
        raise BackupError(
            f"{to} is in the data directory, which is backed up itself: give a file elsewhere"
        )
    if is_empty(host.store):
        raise BackupError("there is no service to back up: look at `landyard settings`")
    manifest = Manifest(
        landyard=version("landyard"),
        database=host.store.engine.dialect.name,
        heads=heads(host.store),
    )
    main = main_file(host.store)
    beside = [file for file in data.glob("*.db") if file != main]
    apart = [*beside, *([main] if main else [])]
    added: dict[Path, tuple[int, int]] = {}
    with (
        new_archive(to, progress) as archive,
        TemporaryDirectory(dir=to.absolute().parent, prefix=".landyard-") as scratch,
    ):
        copy = Path(scratch, "copy")
        # Files are copied before and after the database, so each file named by a row is included.
        _add_files(archive, data, apart, added)
        copy_database(host.store, copy)
        archive.add(_DATABASE, copy)
        for file in beside:
            copy_sqlite(file, copy)
            archive.add(f"{_FILES}/{file.name}", copy)
        _add_files(archive, data, apart, added)
        archive.finish(manifest, copy)


def restore(host: Host, archive: Path, progress: Progress) -> list[str]:
    """Restore an archive into an empty place; return the revisions that its database lacks.

    Raises `BackupError`; nothing is changed then.
    """
    data = host.settings.data
    if data.exists() and any(data.iterdir()):
        raise BackupError(f"{data} holds something: a backup goes into an empty data directory")
    if not is_empty(host.store):
        raise BackupError("the database holds something: a backup goes into an empty one")
    # In the data directory itself, because files cannot be renamed between volumes.
    with _made(data), TemporaryDirectory(dir=data, prefix=".landyard-") as scratch:
        manifest = unpack(archive, Path(scratch), progress)
        kind = host.store.engine.dialect.name
        if manifest.database != kind:
            raise BackupError(
                f"this is a backup of {manifest.database}, and database_url says {kind}"
            )
        branches = host.plugins.schema.branches
        behind = [name for each in branches for name in _lacking(each, manifest)]
        restore_database(host.store, Path(scratch, _DATABASE))
        for each in Path(scratch, _FILES).glob("*"):
            each.rename(data / each.name)
    os.sync()
    return behind


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Create a folder; if the restore fails, remove it again unless it existed before."""
    was_there = folder.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield
    except BackupError:
        if not was_there:
            folder.rmdir()
        raise


def size_of(data: Path) -> int:
    """Return the approximate number of bytes to read; files may change meanwhile."""
    return sum(size for _, (size, _) in _files(data, ()))


def _add_files(
    archive: Writer, data: Path, apart: Iterable[Path], added: dict[Path, tuple[int, int]]
) -> None:
    """Add the files that are new or changed since they were added to the archive."""
    for path, state in _files(data, apart):
        if added.get(path) != state:
            with suppress(FileNotFoundError):  # removed since it was listed
                archive.add(f"{_FILES}/{path.relative_to(data)}", path)
                added[path] = state


def _files(data: Path, apart: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int]]]:
    """Yield the files of the data directory, each with its size and modification time.

    Databases, listed in `apart`, are left out with the files that SQLite keeps beside them.
    """
    databases = tuple(str(file) for file in apart)
    for above, _, names in os.walk(data, followlinks=True):
        for path in (Path(above, name) for name in names):
            with suppress(FileNotFoundError):
                stat = path.stat()
                if not str(path).startswith(databases):
                    yield path, (stat.st_size, stat.st_mtime_ns)


def _lacking(branch: Tables, manifest: Manifest) -> list[str]:
    """List the revisions of a branch that are newer than the backup."""
    revisions = branch.revisions()
    head = manifest.heads.get(branch.version_table)
    if head is not None and head not in revisions:
        raise BackupError(
            f"the backup holds {head}, made by a newer version of its plugin than is installed"
            f" here (it was made with landyard {manifest.landyard})"
        )
    return revisions[revisions.index(head) + 1 :] if head else []
