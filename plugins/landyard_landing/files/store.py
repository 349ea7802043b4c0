"""Stores the bytes of uploaded files in a folder of the data directory."""

import contextlib
import glob
import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

_KEY = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}")
_PENDING = "pending"
_Made = TypeVar("_Made")


class FileSettings(Struct, frozen=True):
    """`accel_redirect`: nginx's own path for the folder `files`, so that it sends the files itself.

    Empty where no nginx is in front that may read the folder.
    """

    accel_redirect: Annotated[str, Meta(pattern=r"^(/[A-Za-z0-9_.-]+)*$")] = ""


class FileStore:
    """A folder of files, each at `<two characters of its key>/<key>.<name>`.

    What is kept beside one is in `<two characters>/<key>/`. So is a file itself that is from a time
    when each had a folder: that was one more thing to make, and to wait for.

    A file is marked as pending while its database row is written or removed. If the process dies in
    between, the mark stays: an hourly job finds it, and keeps or removes the file by its row.
    """

    def __init__(self, root: Path) -> None:
        """Keep files below `root`, which is made with the first one."""
        self.root = root
        self._root = str(root)  # below it paths are texts: a `Path` of each took 50 us an upload
        self._lasting: set[str] = set()  # folders whose names are known to be on disk

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file, pending until `confirm`; return when it is on disk.

        Raises `OSError`, and then leaves nothing behind.
        """
        # The mark is first: whenever the process dies, a job finds what there is of the file. It is
        # the file, under a name more: one of its own would be an inode that is made to be removed.
        handle = self._open_mark(key, os.O_EXCL)
        try:
            _write(handle, content)
            self._name(key, name, content)
            os.fsync(handle)
            self._sync_names(self._file(key, name))
        except FileExistsError:  # which is another's, and stays
            self.confirm(key)
            raise
        except BaseException:
            self.remove(key, name)
            raise
        finally:
            os.close(handle)

    def add(self, key: str, name: str, other: str, content: bytes) -> None:
        """Write another file beside one that there is: it is removed with that one.

        Raises `OSError`, `FileNotFoundError` where that one is gone.
        """
        folder = self._folder(key)
        unseen = f"{folder}/.{other}"  # no address leads to it
        os.stat(self._found(key, name))
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
            _write_new(unseen, content, os.O_TRUNC)
            os.replace(unseen, f"{folder}/{other}")
            self._sync_names(folder)
            _sync(folder)
        finally:
            try:
                os.stat(self._found(key, name))
            except FileNotFoundError:  # since the folder was made, maybe
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def mark_pending(self, key: str) -> None:
        """Note that a file's row is about to be removed."""
        handle = self._open_mark(key)  # it may be the file itself, and so is not cut off
        try:
            os.utime(handle)
        finally:
            os.close(handle)

    def confirm(self, key: str) -> None:
        """Note that a file's row is there: it is no longer pending."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._mark(key))

    def is_pending(self, key: str) -> bool:
        """Tell whether a file's row is being written or removed."""
        return os.path.exists(self._mark(key))

    def remove(self, key: str, name: str = "") -> None:
        """Remove a file, as far as it is there, what is beside it, and its pending mark.

        Without its name it is looked for.
        """
        folder = self._folder(key)
        for path in [self._file(key, name)] if name else glob.iglob(f"{glob.escape(folder)}.*"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        self.confirm(key)

    def pending(self, before: datetime) -> Iterator[str]:
        """List the keys of files that are pending since before this moment."""
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self.root / _PENDING):
                since = datetime.fromtimestamp(entry.stat().st_mtime, UTC)
                if since < before and _KEY.fullmatch(entry.name):
                    yield entry.name

    def path(self, key: str, name: str) -> Path | None:
        """Say where a file is; None for what cannot be one, and never a path outside the store."""
        if not _KEY.fullmatch(key) or not _NAME.fullmatch(name):
            return None
        return Path(self._found(key, name))

    def _open_mark(self, key: str, how: int = 0) -> int:
        mark, how = self._mark(key), os.O_WRONLY | os.O_CREAT | how
        return self._in_folder(mark, lambda: os.open(mark, how, 0o666))

    def _name(self, key: str, name: str, content: bytes) -> None:
        mark, path = self._mark(key), self._file(key, name)
        self._in_folder(path, lambda: _link(mark, path, content))

    def _in_folder(self, path: str, make: Callable[[], _Made]) -> _Made:
        """Make what is to be at a path; its folder first, where that is missing."""
        try:
            return make()
        except FileNotFoundError:
            self._lasting.clear()
            self.root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the data directory
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return make()

    def _sync_names(self, path: str) -> None:
        """Return when a name in a folder of two characters is on disk, and that folder's.

        Most files find theirs there: nothing removes it.
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


def _write(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def _link(mark: str, path: str, content: bytes) -> None:
    """Give a file its name; where the file system has no links that is another file."""
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
    # The name of a file is durable when its folder is.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
