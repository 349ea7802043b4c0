"""Describes a store of uploaded files: a folder or a bucket, which callers need not tell apart."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from msgspec import Struct

_KEY = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}")


class DamagedFile(OSError):
    """The bytes that the store has are not those that were saved."""


class OpenFile(Struct, frozen=True):
    """A file that is being read: its whole size, and the bytes that were asked for, in pieces."""

    size: int
    chunks: Iterator[bytes]


class StoredFile(Struct, frozen=True):
    """A file in a listing of a store; `changed_at` is the moment when it was last written."""

    key: str
    name: str
    size: int
    changed_at: datetime


class FileStore(Protocol):
    """The bytes of uploaded files, each by its key and its name.

    A key names the same bytes for ever. Files added beside a file, such as smaller copies, have its
    key and names of their own. A file is saved before its database row commits, and removed after
    the commit that forgets the row. So the row decides whether a file exists. If the process dies
    in between, `unsettled` yields the key later, and a job keeps or removes the file by its row.

    Methods that reach the store raise `Unavailable` while it is away, `FileNotFoundError` for a
    file that is not there or cannot be, and `OSError` for a failure of the disk.
    """

    def save(self, key: str, name: str, content: bytes) -> None:
        """Write a new file; return when it is durable. After an error the file does not exist."""

    def add(self, key: str, name: str, other: str, content: bytes) -> None:
        """Write the file `other` beside an existing file, to be removed with it."""

    def confirm(self, key: str) -> None:
        """Note that the row of a saved file exists, or still exists."""

    def mark_pending(self, key: str) -> None:
        """Note that a file's row is about to be removed."""

    def is_pending(self, key: str) -> bool | None:
        """Tell whether a file's row is being written or removed; None if the row alone tells."""

    def unsettled(self, now: datetime) -> Iterator[str]:
        """Yield the keys of files that may lack a row, written so long ago that no call runs."""

    def remove(self, key: str, name: str = "") -> None:
        """Remove a file and the files beside it, as far as they exist.

        A name saves a search. A bucket that is away keeps the file; a job removes it later.
        """

    def has(self, key: str, name: str) -> bool:
        """Tell whether a file is there that the database mentions.

        A bucket is not asked: the mention was committed after the file was saved.
        """

    def size(self, key: str, name: str) -> int:
        """Return the size of a file in bytes."""

    def open(self, key: str, name: str, start: int = 0, stop: int | None = None) -> OpenFile:
        """Open a file, and read it from `start` up to `stop` or to the end.

        A file that is read whole and has changed since it was saved breaks off with `DamagedFile`.
        """

    def read(self, key: str, name: str) -> bytes:
        """Read a whole file."""

    def listing(self) -> Iterator[StoredFile]:
        """Yield all files, in any order; others that the store holds have an empty key."""

    def nginx_path(self, key: str, name: str) -> str:
        """Return nginx's internal path of a file; empty where nginx does not send files."""

    def public_address(self, key: str, name: str) -> str:
        """Return a file's address at a public store; empty where the service sends files."""


def is_address(key: str, name: str) -> bool:
    """Tell whether these can be the key and the name of a file."""
    return bool(_KEY.fullmatch(key) and _NAME.fullmatch(name))


def require_address(key: str, name: str) -> None:
    """Raise `FileNotFoundError` for what cannot be the key and the name of a file."""
    if not is_address(key, name):
        raise FileNotFoundError(f"{key}/{name}")
