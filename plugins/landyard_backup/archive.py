"""The archive of a backup: a tar file whose last member, the manifest, has all digests."""

import gzip
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

Progress = Callable[[int], object]  # called with the size of each piece that was read

_MANIFEST = "manifest.json"
_CHUNK = 1024 * 1024
_BROKEN = (
    *(tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError),
    *(msgspec.MsgspecError, UnicodeError),
)


class BackupError(Exception):
    """A backup cannot be made or restored; the text says why."""


class Manifest(Struct, frozen=True, kw_only=True):
    """The description of a backup: the version that made it, the kind of database, its revisions.

    `heads` are the revisions by version table; `digests` the SHA-256 of every other member.
    """

    landyard: str
    database: str
    heads: dict[str, str]
    digests: dict[str, str] = {}


class Writer:
    """Writes files into a new archive."""

    def __init__(self, tar: tarfile.TarFile, progress: Progress) -> None:
        """Write to `tar`; `progress` is called for each piece read."""
        self._tar = tar
        self._progress = progress
        self._digests: dict[str, str] = {}

    def add(self, name: str, path: Path) -> None:
        """Add a file; a later file of the same name replaces an earlier one."""
        with path.open("rb") as file:
            member = tarfile.TarInfo(name)
            member.size = os.fstat(file.fileno()).st_size
            source: Any = _Digested(file, self._progress)
            self._tar.addfile(member, source)
        self._digests[name] = source.digest.hexdigest()

    def finish(self, manifest: Manifest, scratch: Path) -> None:
        """Add the manifest; an archive without one is incomplete."""
        whole = msgspec.structs.replace(manifest, digests=self._digests)
        scratch.write_bytes(msgspec.json.encode(whole))
        self.add(_MANIFEST, scratch)


@contextmanager
def new_archive(path: Path, progress: Progress) -> Iterator[Writer]:
    """Write a new archive, readable by its owner only; after an error no file is left.

    It is flushed to disk at the end. Raises `FileExistsError` instead of replacing a file.
    """
    with _private(path, os.O_EXCL) as file:
        try:
            # A data directory holds mostly pictures, which are compressed already.
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
                yield Writer(tar, progress)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink()
            raise


def unpack(path: Path, folder: Path, progress: Progress) -> Manifest:
    """Unpack an archive, and compare each member with the manifest; raises `BackupError`."""
    digests = {}
    try:
        with path.open("rb") as file:
            packed: Any = _Digested(file, progress)
            with gzip.open(packed) as plain:
                with tarfile.open(fileobj=plain, mode="r|") as tar:
                    for member in tar:
                        digests[member.name] = _extract(tar, member, folder)
                while plain.read(_CHUNK):  # reads to the end, where gzip compares its checksum
                    pass
        manifest = msgspec.json.decode((folder / _MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise BackupError(f"{path} is no whole backup: it has no manifest") from None
    except _BROKEN as error:
        raise BackupError(f"{path} is no whole backup: {error}") from error
    del digests[_MANIFEST]
    if digests != manifest.digests:
        raise BackupError(f"{path} is damaged: its files are not those that were backed up")
    return manifest


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> str:
    """Write a member into the folder, and return its digest."""
    target = (folder / member.name).resolve()
    content = tar.extractfile(member)
    if content is None or not target.is_relative_to(folder.resolve()):
        raise BackupError(f"this is no backup of Landyard: it has a member {member.name!r}")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    source: Any = _Digested(content, lambda _size: None)
    with _private(target, os.O_TRUNC) as file:
        shutil.copyfileobj(source, file)
    digest: str = source.digest.hexdigest()
    return digest


def _private(path: Path, flags: int) -> BinaryIO:
    """Open a file for writing that only its owner may read."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | flags, 0o600), "wb")


class _Digested:
    """A file reader that reports progress and computes a digest."""

    def __init__(self, file: BinaryIO | Any, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._file.read(size)
        self.digest.update(content)
        self._progress(len(content))
        return content
