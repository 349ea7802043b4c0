"""References: `$result[key][field][0]` in a command is what an earlier one answered."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from landyard import Bounds, InvalidRequest

# Possessive quantifiers: without them the engine would keep a way back for every bracket.
_REFERENCE = re.compile(r"(\\?)(\$result((?:\[[^\[\]]*+\])++))")
_PART = re.compile(r"\[([^\[\]]*+)\]")

_NUMBER = 8  # bytes that are counted for a number

Find = Callable[[str], Any]
Lost = Callable[[str], object]


class Room:
    """The rest of a command's bounds, while its references are put in one by one.

    `size`, `values`: bytes, and keys and items. Taking more raises `InvalidRequest`,
    before a copy is made.
    """

    def __init__(self, bounds: Bounds, most: int) -> None:
        """Have the room of a method's bounds, of at most `most` bytes."""
        self._bounds = bounds
        self._most = most if bounds.size is None else min(bounds.size, most)
        self.size, self.values = self._most, bounds.values

    @property
    def taken(self) -> int:
        """How many bytes were taken."""
        return self._most - self.size

    def take(self, value: Any, depth: int = 1) -> None:
        """Take the room for a value and everything in it."""
        if isinstance(value, str):
            self.size -= len(value) if value.isascii() else len(value.encode())
            if self.size < 0:
                raise InvalidRequest(
                    f"The command has more than {self._most} bytes, with what its references stand"
                    " for.",
                    status=413,
                )
        elif isinstance(value, Mapping | list):
            self._take_inside(value, depth)
        else:
            self.size -= _NUMBER

    def _take_inside(self, value: Any, depth: int) -> None:
        self.values -= len(value)
        if self.values < 0:
            raise InvalidRequest(
                f"The command has more than {self._bounds.values} keys and items, with what its"
                " references stand for."
            )
        if depth > self._bounds.depth:
            raise InvalidRequest(
                f"The command is nested deeper than {self._bounds.depth} levels, with what its"
                " references stand for."
            )
        for each in value:
            self.take(each, depth + 1)
        for each in value.values() if isinstance(value, Mapping) else ():
            self.take(each, depth + 1)


def refer(value: Any, find: Find, lost: Lost, room: Room, depth: int = 1) -> Any:
    """Put what earlier commands answered in place of the references in parameters.

    `find` answers the result of a command by its key, None where there is none. A text that is one
    reference becomes what it names, of any type. Inside of a longer text a number or text is put
    in; what is not there, and what is an array or object, is nothing, and `lost` is told. A
    reference with a backslash before it is a text without that. Raises `InvalidRequest` for what
    has no `room`, and what is nested too deeply.
    """
    if isinstance(value, str) and "$result[" in value:
        return _refer_text(value, find, lost, room, depth)
    if isinstance(value, list):
        room.values -= len(value)
        return [refer(each, find, lost, room, depth + 1) for each in value]
    if isinstance(value, Mapping):
        room.values -= len(value)
        return {key: refer(each, find, lost, room, depth + 1) for key, each in value.items()}
    room.take(value)
    return value


def _refer_text(text: str, find: Find, lost: Lost, room: Room, depth: int) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and not whole[1]:
        found = _named(whole[3], find)
        if found is None:
            lost(text)
        room.take(found, depth)
        return found

    def put_in(reference: re.Match[str]) -> str:
        if reference[1]:
            return reference[2]
        written = _written(_named(reference[3], find))
        if written is None:
            lost(reference[2])
        room.take(written or "")
        return written or ""

    room.take(text)
    return _REFERENCE.sub(put_in, text)


def _named(path: str, find: Find) -> Any:
    first, *rest = (unquote(part).strip("'\"") for part in _PART.findall(path))
    found = find(first)
    for part in rest:
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found


def _written(found: Any) -> str | None:
    if isinstance(found, str):
        return found
    return msgspec.json.encode(found).decode() if isinstance(found, int | float) else None
