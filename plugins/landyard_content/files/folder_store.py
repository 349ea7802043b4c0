"""Stores the bytes of uploaded files durably, in a folder of the data directory."""

import contextlib
import glob
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from landyard_content.files.store import OpenFile, StoredFile, is_address, require_address

_PENDING = "pending"
_LONG_PENDING = timedelta(hours=1)  # longer than any call
_CHUNK = 256 * 1024  # bytes
_Made = TypeVar("_Made")


class FolderStore:
    """A folder of files, each at `<two characters of its key>/<key>.<name>`.

    Files added beside it, such as smaller copies, are in `<two characters>/<key>/`. Files of older
    versions of the service are in such a folder themselves.

    A file is marked as pending while its database row is written or removed. If the process dies in
    between, the mark stays: an hourly job finds it, and keeps or removes the file by its row.
    """

    def __init__(self, root: Path, accel_redirect: str = "") -> None:
        """Keep files below `root`, which is created with the first file.

        `accel_redirect` is nginx's internal path of the folder, if nginx sends the files.
        """
        self.root = root
        self._accel_redirect = accel_redirect
        self._root = str(root)  # paths below are texts: `Path` objects cost 50 us an upload
        self._lasting: set[str] = set()  # folders whose names are on disk

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file, pending until `confirm`; return when it is on disk.

        Raises `OSError`, and then leaves nothing behind.
        """
        # The mark is made first: whenever the process dies, a job finds the parts of the file. It
        # is a second name of the file: a separate one would be an inode made only to be removed.
        handle = self._open_mark(key, os.O_EXCL)
        try:
            _write(handle, content)
            self._name(key, name, content)
            os.fsync(handle)
            self._sync_names(self._file(key, name))
        except FileExistsError:  # an older file has this name, and stays
            self.confirm(key)
            raise
        except BaseException:
            self.remove(key, name)
            raise
        finally:
            os.close(handle)

    def add(self, key: str, name: str, other: str, content: bytes) -> None:
        """Write the file `other` beside an existing file, to be removed with it.

        Raises `OSError`, and `FileNotFoundError` where the existing file was removed.
        """
        folder = self._folder(key)
        unfinished = f"{folder}/.{other}"  # no address has such a name
        os.stat(self._found(key, name))
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
            _write_new(unfinished, content, os.O_TRUNC)
            os.replace(unfinished, f"{folder}/{other}")
            self._sync_names(folder)
            _sync(folder)
        finally:
            try:
                os.stat(self._found(key, name))
            except FileNotFoundError:  # the file may have been removed since the folder was made
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def mark_pending(self, key: str) -> None:
        """Mark that a file's row is about to be removed."""
        handle = self._open_mark(key)  # the mark may be the file itself: it is not truncated
        try:
            os.utime(handle)
        finally:
            os.close(handle)

    def confirm(self, key: str) -> None:
        """Remove the pending mark of a file, since its row exists."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._mark(key))

    def is_pending(self, key: str) -> bool:
        """Tell whether a file's row is being written or removed."""
        return os.path.exists(self._mark(key))

    def remove(self, key: str, name: str = "") -> None:
        """Remove a file, the files beside it and its pending mark, as far as they exist.

        Without a name the file is searched by its key.
        """
        folder = self._folder(key)
        for path in [self._file(key, name)] if name else glob.iglob(f"{glob.escape(folder)}.*"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        self.confirm(key)

    def unsettled(self, now: datetime) -> Iterator[str]:
        """Yield the keys of files that have been pending for longer than any call."""
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self.root / _PENDING):
                since = datetime.fromtimestamp(entry.stat().st_mtime, UTC)
                if since < now - _LONG_PENDING and is_address(entry.name, "_"):
                    yield entry.name

    def path(self, key: str, name: str) -> Path | None:
        """Return a file's path, always inside the store; None for an invalid key or name."""
        return Path(self._found(key, name)) if is_address(key, name) else None

    def has(self, key: str, name: str) -> bool:
        """Tell whether a file is there."""
        return is_address(key, name) and os.path.isfile(self._found(key, name))

    def size(self, key: str, name: str) -> int:
        """Return the size of a file in bytes."""
        require_address(key, name)
        return os.stat(self._found(key, name)).st_size

    def open(self, key: str, name: str, start: int = 0, stop: int | None = None) -> OpenFile:
        """Open a file; its bytes are read from the disk as they are taken."""
        size = self.size(key, name)
        end = size if stop is None else min(stop, size)
        return OpenFile(size, _pieces(self._found(key, name), start, end))

    def read(self, key: str, name: str) -> bytes:
        """Read a whole file."""
        require_address(key, name)
        with open(self._found(key, name), "rb") as file:
            return file.read()

    def listing(self) -> Iterator[StoredFile]:
        """Yield all files; a pending mark is not listed, and a file of no key has an empty key."""
        for folder, _, names in os.walk(self._root):
            place = os.path.relpath(folder, self._root)
            for each in names if place != _PENDING else ():
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    stat = os.stat(f"{folder}/{each}")
                    changed_at = datetime.fromtimestamp(stat.st_mtime, UTC)
                    yield StoredFile(*_address(place, each), stat.st_size, changed_at)

    def nginx_path(self, key: str, name: str) -> str:
        """Return nginx's internal path of a file; empty where nginx does not send files."""
        if not self._accel_redirect:
            return ""
        return f"{self._accel_redirect}/{os.path.relpath(self._found(key, name), self._root)}"

    def public_address(self, _key: str, _name: str) -> str:
        """Return the empty string: a folder has no address of its own."""
        return ""

    def _open_mark(self, key: str, how: int = 0) -> int:
        mark, how = self._mark(key), os.O_WRONLY | os.O_CREAT | how
        return self._in_folder(mark, lambda: os.open(mark, how, 0o666))

    def _name(self, key: str, name: str, content: bytes) -> None:
        mark, path = self._mark(key), self._file(key, name)
        self._in_folder(path, lambda: _link(mark, path, content))

    def _in_folder(self, path: str, make: Callable[[], _Made]) -> _Made:
        """Call `make` for a path; where its folder is missing, create the folder and call again."""
        try:
            return make()
        except FileNotFoundError:
            self._lasting.clear()
            self.root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the data directory
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return make()

    def _sync_names(self, path: str) -> None:
        """Return when a name in a two-character folder, and the folder's own name, are on disk.

        Most files find their folder on disk already: nothing removes it.
        """
        above = os.path.dirname(path)
        _sync(above)
        for each in (above, self._root):
            if each not in self._lasting:
                _sync(os.path.dirname(each))
                self._lasting.add(each)

    def _mark(self, key: str) -> str:
        return f"{self._root}/{_PENDING}/{key}"

    def _file(self, key: str, name: str) -> str:
        return f"{self._root}/{key[:2]}/{key}.{name}"

    def _folder(self, key: str) -> str:
        return f"{self._root}/{key[:2]}/{key}"

    def _found(self, key: str, name: str) -> str:
        path = self._file(key, name)
        return path if os.path.exists(path) else f"{self._folder(key)}/{name}"


def _pieces(path: str, start: int, stop: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        file.seek(start)
        while chunk := file.read(min(_CHUNK, stop - file.tell())):
            yield chunk


def _address(place: str, name: str) -> tuple[str, str]:
    """Return the key and the name of a file from its path; an empty key for another file."""
    above, _, inner = place.partition("/")
    key, _, rest = (inner, "", name) if inner else name.partition(".")
    is_ours = is_address(key, rest) and key[:2] == above
    return (key, rest) if is_ours else ("", os.path.normpath(f"{place}/{name}"))


def _write(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def _link(mark: str, path: str, content: bytes) -> None:
    """Give a file its name by a hard link; write a copy where the file system has none."""
    try:
        os.link(mark, path)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        _write_new(path, content, os.O_EXCL)


def _write_new(path: str, content: bytes, how: int) -> None:
    """Write a file; return when its bytes are on disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o666)
    try:
        _write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync(folder: str) -> None:
    # A file's name is durable once its folder is synchronised.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
