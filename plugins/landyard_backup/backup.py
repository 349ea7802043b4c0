"""Backups of a whole service: made while it runs, and put back into an empty place."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from landyard import Host, Tables
from landyard_backup.archive import BackupError, Manifest, Told, Writer, new_archive, unpack
from landyard_backup.databases import (
    copy_database,
    copy_sqlite,
    heads,
    is_empty,
    main_file,
    put_back,
)

_DATABASE, _FILES = "database", "data"


def back_up(host: Host, to: Path, told: Told) -> None:
    """Write the archive `to`; raises `BackupError`, and `FileExistsError` where it is there."""
    data = host.settings.data.resolve()
    if to.resolve().is_relative_to(data):
        raise BackupError(f"{to} is in the data directory, which is what is backed up")
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
    seen: dict[Path, tuple[int, int]] = {}
    with (
        new_archive(to, told) as archive,
        TemporaryDirectory(dir=to.absolute().parent, prefix=".landyard-") as scratch,
    ):
        copy = Path(scratch, "copy")
        # Before the database and after it: what a row of it names was there at one of them.
        _add_files(archive, data, apart, seen)
        copy_database(host.store, copy)
        archive.add(_DATABASE, copy)
        for file in beside:
            copy_sqlite(file, copy)
            archive.add(f"{_FILES}/{file.name}", copy)
        _add_files(archive, data, apart, seen)
        archive.finish(manifest, copy)


def restore(host: Host, archive: Path, told: Told) -> list[str]:
    """Put an archive back into an empty place; return the revisions that its database lacks.

    Raises `BackupError`, and has then changed nothing.
    """
    data = host.settings.data
    if data.exists() and any(data.iterdir()):
        raise BackupError(f"{data} holds something: a backup goes into an empty data directory")
    if not is_empty(host.store):
        raise BackupError("the database holds something: a backup goes into an empty one")
    # In the data directory: a volume of its own takes nothing from its neighbours by renaming.
    with _made(data), TemporaryDirectory(dir=data, prefix=".landyard-") as scratch:
        manifest = unpack(archive, Path(scratch), told)
        kind = host.store.engine.dialect.name
        if manifest.database != kind:
            raise BackupError(
                f"this is a backup of {manifest.database}, and database_url says {kind}"
            )
        behind = [
            name for each in host.plugins.schema.branches for name in _lacking(each, manifest)
        ]
        put_back(host.store, Path(scratch, _DATABASE))
        for each in Path(scratch, _FILES).glob("*"):
            each.rename(data / each.name)
    os.sync()
    return behind


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder, which goes again where it was not there and nothing could be put into it."""
    was_there = folder.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield
    except BackupError:
        if not was_there:
            folder.rmdir()
        raise


def size_of(data: Path) -> int:
    """Add up what there is to read, about: it may change meanwhile."""
    return sum(size for _, (size, _) in _files(data, ()))


def _add_files(
    archive: Writer, data: Path, apart: Iterable[Path], seen: dict[Path, tuple[int, int]]
) -> None:
    """Add the files that are not in the archive as they are now."""
    for path, now in _files(data, apart):
        if seen.get(path) != now:
            with suppress(FileNotFoundError):  # removed since it was listed
                archive.add(f"{_FILES}/{path.relative_to(data)}", path)
                seen[path] = now


def _files(data: Path, apart: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int]]]:
    """List the files of the data directory: each with its size and when it was changed.

    Those `apart` are databases, and left out with what SQLite keeps beside them.
    """
    databases = tuple(str(file) for file in apart)
    for above, _, names in os.walk(data, followlinks=True):
        for path in (Path(above, name) for name in names):
            with suppress(FileNotFoundError):
                about = path.stat()
                if not str(path).startswith(databases):
                    yield path, (about.st_size, about.st_mtime_ns)


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
