"""Stores the bytes of uploaded files in a folder of the data directory."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

_KEY = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}")
_PENDING = "pending"


class FileSettings(Struct, frozen=True):
    """`accel_redirect`: nginx's own path for the folder `files`, so that it sends the files itself.

    Empty where no nginx is in front that may read the folder.
    """

    accel_redirect: Annotated[str, Meta(pattern=r"^(/[A-Za-z0-9_.-]+)*$")] = ""


class FileStore:
    """A folder of files, each at `<two characters of its key>/<key>/<name>`.

    A file is marked as pending while its database row is written or removed. If the process dies in
    between, the mark stays: an hourly job finds it, and keeps or removes the file by its row.
    """

    def __init__(self, root: Path) -> None:
        """Keep files below `root`, which is made with the first one."""
        self.root = root
        self._root = str(root)  # below it paths are texts: a `Path` of each took 50 us an upload

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file, pending until `confirm`; return when it is on disk.

        Raises `OSError`, and then leaves nothing behind.
        """
        folder = self._folder(key)
        # The mark is first: whenever the process dies, a job finds what there is of the file.
        self.mark_pending(key)
        self._make(folder)  # outside the try: an existing folder is another file's
        try:
            _write(f"{folder}/{name}", content, os.O_EXCL)
            for path in (folder, os.path.dirname(folder), self._root):
                _sync(path)
        except BaseException:
            self.remove(key)
            raise

    def add(self, key: str, name: str, content: bytes) -> None:
        """Write another file beside one that there is: it is removed with that one.

        Raises `OSError`, `FileNotFoundError` where that one is gone.
        """
        folder = self._folder(key)
        unseen = f"{folder}/.{name}"  # no address leads to it
        _write(unseen, content, os.O_TRUNC)
        os.replace(unseen, f"{folder}/{name}")
        _sync(folder)

    def mark_pending(self, key: str) -> None:
        """Note that a file's row is about to be written or removed."""
        mark = self._mark(key)
        try:
            _touch(mark)
        except FileNotFoundError:
            self.root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the data directory
            os.makedirs(os.path.dirname(mark), exist_ok=True)
            _touch(mark)

    def confirm(self, key: str) -> None:
        """Note that a file's row is there: it is no longer pending."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._mark(key))

    def is_pending(self, key: str) -> bool:
        """Tell whether a file's row is being written or removed."""
        return os.path.exists(self._mark(key))

    def remove(self, key: str) -> None:
        """Remove a file, as far as it is there, and its pending mark."""
        folder = self._folder(key)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        with contextlib.suppress(OSError):  # others are in it
            os.rmdir(os.path.dirname(folder))
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
        return Path(self._folder(key), name)

    def _make(self, folder: str) -> None:
        while True:
            with contextlib.suppress(FileNotFoundError):  # the one above is removed when empty
                os.mkdir(folder)
                return
            os.makedirs(os.path.dirname(folder), exist_ok=True)

    def _mark(self, key: str) -> str:
        return f"{self._root}/{_PENDING}/{key}"

    def _folder(self, key: str) -> str:
        return f"{self._root}/{key[:2]}/{key}"


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666))


def _write(path: str, content: bytes, how: int) -> None:
    """Write a file; return when its bytes are on disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(handle, left) :]
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
