"""Reads and writes values of SQLite's rows as JSON, several times as fast as SQLite does."""

from collections.abc import Callable, Sequence
from itertools import compress
from operator import ne
from typing import Any

import msgspec

from landyard_undo.excerpts import excerpts, short
from landyard_undo.steps import Noted, sides
from landyard_undo.values import SHORT, Values

_PLAIN = frozenset((str, int, dict, type(None)))
_write = msgspec.json.Encoder().encode


def values(noted: Noted) -> tuple[Values, Values]:
    """Read what a row was before a change, and what it was after it."""
    was, became = ({name: _value(value) for name, value in side.items()} for side in sides(noted))
    return was, became


def encode(values: Values) -> str:
    """Write values of a row, of before or after a change."""
    for name, value in values.items():
        if type(value) not in _PLAIN:  # nearly all are as JSON has them
            values = {**values, name: _whole(value)}
    return _write(values).decode()


def write_old(names: Sequence[str], *values: Any) -> str:
    """Write a row that goes."""
    return encode(dict(zip(names, values, strict=True)))


def writer_of_changed(names: Sequence[str], texts: Sequence[bool]) -> Callable[..., str]:
    """Make a function that writes the old and the new value of each column that differs.

    It is given the old values, then the new ones. Those of `texts` are bytes that are a text, and
    texts that are the digits of bytes.
    """
    count = len(names)
    places = range(count)

    def write_changed(*values: Any) -> str:
        changed: Values = {}
        for at in compress(places, map(ne, values, values[count:])):
            old, new = values[at], values[at + count]
            if texts[at]:
                if type(old) is type(new) is bytes:
                    changed[names[at]] = excerpts(old, new)
                else:
                    changed[names[at]] = _whole(_as_stored(old)), _whole(short(_as_stored(new)))
            elif type(old) is type(new) is str and len(new) <= SHORT:
                changed[names[at]] = old, new
            else:
                changed[names[at]] = _whole(old), _whole(short(new))
        return _write(changed).decode()

    return write_changed


def _as_stored(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return None if value is None else bytes.fromhex(value)


def _whole(value: Any) -> Any:
    # JSON has no bytes, and no infinity.
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float):
        return {"real": repr(value)}
    return value


def _value(value: Any) -> Any:
    match value:
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"real": str(digits)}:
            return float(digits)
    return value
