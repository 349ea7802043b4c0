"""Reads a world file: finds the lists of a JSON document, and their items one at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from mmap import MAP_PRIVATE, PROT_READ, mmap
from typing import Any, BinaryIO

import msgspec
from msgspec import Raw


class WorldError(Exception):
    """A world file is wrong; the text begins with the path, e.g. `users[0].name: …`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}")


def find_lists(file: BinaryIO | bytes) -> dict[str, Raw]:
    """Find the lists of a document, as they are written; raises `WorldError` for what has none.

    A file is mapped: a world may be larger than memory, from which the system drops what was read.
    """
    with _told():
        whole: Any = file
        if not isinstance(file, bytes):
            try:
                whole = mmap(file.fileno(), 0, flags=MAP_PRIVATE, prot=PROT_READ)
            except OSError:  # it is in memory already, or where nothing can be mapped
                file.seek(0)
                whole = file.read()
        return msgspec.json.decode(whole, type=dict[str, Raw])


def find_items(name: str, written: Raw) -> list[Raw]:
    """Find the items of a list of this name; raises `WorldError`."""
    try:
        return msgspec.json.decode(written, type=list[Raw])
    except msgspec.ValidationError as error:
        raise WorldError(name, "must be a list: […]") from error


def read_item(path: str, written: bytes) -> dict[str, Any]:
    """Read an item; raises `WorldError`."""
    with _told():
        try:
            return msgspec.json.decode(written, type=dict[str, Any])
        except msgspec.ValidationError as error:
            raise WorldError(path, "must be an object: {…}") from error


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise WorldError("world file", f"is no JSON object: {error}") from error
