"""An archive: a tar file of members, the last of which tells what the others have to be."""

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

Told = Callable[[int], object]  # of each number of bytes that were read

_MANIFEST = "manifest.json"
_CHUNK = 1024 * 1024
_BROKEN = (
    *(tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError),
    *(msgspec.MsgspecError, UnicodeError),
)


class BackupError(Exception):
    """A backup cannot be made or put back; the text says why."""


class Manifest(Struct, frozen=True, kw_only=True):
    """What a backup is one of: the version that made it, the kind of database, its revisions.

    `heads` are the revisions by version table, `digests` the SHA-256 of each other member.
    """

    landyard: str
    database: str
    heads: dict[str, str]
    digests: dict[str, str] = {}


class Writer:
    """Writes members into a new archive."""

    def __init__(self, tar: tarfile.TarFile, told: Told) -> None:
        """Write to `tar`, and tell of each piece that was read for it."""
        self._tar = tar
        self._told = told
        self._digests: dict[str, str] = {}

    def add(self, name: str, path: Path) -> None:
        """Add a file; of two with one name the later counts."""
        with path.open("rb") as file:
            member = tarfile.TarInfo(name)
            member.size = os.fstat(file.fileno()).st_size
            source: Any = _Digested(file, self._told)
            self._tar.addfile(member, source)
        self._digests[name] = source.digest.hexdigest()

    def finish(self, manifest: Manifest, scratch: Path) -> None:
        """Add the manifest: an archive without one was cut off."""
        whole = msgspec.structs.replace(manifest, digests=self._digests)
        scratch.write_bytes(msgspec.json.encode(whole))
        self.add(_MANIFEST, scratch)


@contextmanager
def new_archive(path: Path, told: Told) -> Iterator[Writer]:
    """Write a new archive, which is its owner's alone; it is on disk afterwards, or not there.

    Raises `FileExistsError` rather than replace one.
    """
    with _private(path, os.O_EXCL) as file:
        try:
            # What fills a data directory is pictures, and those are packed already.
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
                yield Writer(tar, told)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink()
            raise


def unpack(path: Path, folder: Path, told: Told) -> Manifest:
    """Unpack an archive, and compare each member with the manifest; raises `BackupError`."""
    digests = {}
    try:
        with path.open("rb") as file:
            packed: Any = _Digested(file, told)
            with gzip.open(packed) as plain:
                with tarfile.open(fileobj=plain, mode="r|") as tar:
                    for member in tar:
                        digests[member.name] = _extract(tar, member, folder)
                while plain.read(_CHUNK):  # to its end, where the checksum of all is compared
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
    """Write a member into the folder; return its digest."""
    target = (folder / member.name).resolve()
    content = tar.extractfile(member)
    if content is None or not target.is_relative_to(folder.resolve()):
        raise BackupError(f"no backup of ours: it has a member {member.name!r}")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    source: Any = _Digested(content, lambda _size: None)
    with _private(target, os.O_TRUNC) as file:
        shutil.copyfileobj(source, file)
    digest: str = source.digest.hexdigest()
    return digest


def _private(path: Path, flags: int) -> BinaryIO:
    """Open a file to write that nobody else may read."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | flags, 0o600), "wb")


class _Digested:
    """A file that is read once, from its beginning: how far it is, and its digest then."""

    def __init__(self, file: BinaryIO | Any, told: Told) -> None:
        self._file = file
        self._told = told
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content: bytes = self._file.read(size)
        self.digest.update(content)
        self._told(len(content))
        return content
