"""Replaces `$result[key][field][0]` in a command by that part of an earlier answer."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from landyard import Bounds, InvalidRequest

# The quantifiers are possessive, so that the engine does not backtrack at every bracket.
_REFERENCE = re.compile(r"(\\?)(\$result((?:\[[^\[\]]*+\])++))")
_PART = re.compile(r"\[([^\[\]]*+)\]")

_NUMBER = 8  # bytes that are counted for a number

Find = Callable[[str], Any]
Warn = Callable[[str], object]


class Room:
    """The size that a command may still grow by while its references are replaced.

    `size` is in bytes; `values` counts keys and items. Taking more raises `InvalidRequest` before
    anything is copied.
    """

    def __init__(self, bounds: Bounds, most: int) -> None:
        """Start with a method's bounds, but at most `most` bytes."""
        self._bounds = bounds
        self._most = most if bounds.size is None else min(bounds.size, most)
        self.size, self.values = self._most, bounds.values

    @property
    def taken(self) -> int:
        """The number of bytes taken so far."""
        return self._most - self.size

    def take(self, value: Any, depth: int = 1) -> None:
        """Take room for a value and everything in it; raises `InvalidRequest` if it is full."""
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


def refer(value: Any, find: Find, warn: Warn, room: Room, depth: int = 1) -> Any:
    """Return parameters in which references are replaced by earlier answers.

    `find` returns the result of a command by its key, or None. A text that is a single reference
    becomes the value itself, of any type. Within a longer text, a text or number is inserted; for a
    missing value, an array or an object nothing is inserted, and `warn` is called with the
    reference. A backslash before a reference is removed and the reference stays text. Raises
    `InvalidRequest` if there is no `room` left or the nesting is too deep.
    """
    if isinstance(value, str) and "$result[" in value:
        return _refer_text(value, find, warn, room, depth)
    if isinstance(value, list):
        room.values -= len(value)
        return [refer(inner, find, warn, room, depth + 1) for inner in value]
    if isinstance(value, Mapping):
        room.values -= len(value)
        return {key: refer(inner, find, warn, room, depth + 1) for key, inner in value.items()}
    room.take(value)
    return value


def _refer_text(text: str, find: Find, warn: Warn, room: Room, depth: int) -> Any:
    whole = _REFERENCE.fullmatch(text)
    if whole is not None and not whole[1]:
        value = _look_up(whole[3], find)
        if value is None:
            warn(text)
        room.take(value, depth)
        return value

    def put_in(reference: re.Match[str]) -> str:
        if reference[1]:
            return reference[2]
        text_value = _as_text(_look_up(reference[3], find))
        if text_value is None:
            warn(reference[2])
        room.take(text_value or "")
        return text_value or ""

    room.take(text)
    return _REFERENCE.sub(put_in, text)


def _look_up(path: str, find: Find) -> Any:
    first, *rest = (unquote(part).strip("'\"") for part in _PART.findall(path))
    value = find(first)
    for part in rest:
        if isinstance(value, list):
            value = value[int(part)] if part.isdecimal() and int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode() if isinstance(value, int | float) else None
