"""The values of SQLite's rows as JSON: Python writes it several times as fast as SQLite does."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from landyard_undo.excerpts import excerpts, short
from landyard_undo.treatment import Values

UNIT, LENGTH = 19, 10
"""Digits of a unit, and of the length of a text, in characters."""
_PLAIN = frozenset((str, int, dict, type(None)))
_write = msgspec.json.Encoder().encode


def decode(text: str | None) -> Values:
    """Read values as a trigger has written them."""
    return {name: _value(value) for name, value in msgspec.json.decode(text or "{}").items()}


def encode(values: Values) -> str:
    """Write values as `decode` reads them."""
    for name, value in values.items():
        if type(value) not in _PLAIN:  # nearly all are as JSON has them
            values = {**values, name: _whole(value)}
    return _write(values).decode()


def write_old(unit: Callable[[], int], names: Sequence[str], *values: Any) -> str:
    """Write the unit and a row that goes."""
    return f"{unit():0{UNIT}}{encode(dict(zip(names, values, strict=True)))}"


def write_new(unit: Callable[[], int], names: Sequence[str], *values: Any) -> str:
    """Write the unit and a row that has come, of longer values their digests."""
    return f"{unit():0{UNIT}}{encode(dict(zip(names, map(short, values), strict=True)))}"


def write_changed(
    unit: Callable[[], int], names: Sequence[str], texts: Sequence[bool], *values: Any
) -> str:
    """Write the unit, then what the columns that differ were, behind its length, and what they are.

    The values are the old ones, then the new ones. Those of `texts` are bytes that are a text, and
    texts that are the digits of bytes.
    """
    before: Values = {}
    after: Values = {}
    news = values[len(names) :]
    for name, is_text, old, new in zip(names, texts, values, news, strict=False):
        if old == new:
            continue
        if is_text and type(old) is type(new) is bytes:
            before[name], after[name] = excerpts(old, new)
        else:
            was, became = (_as_stored(old), _as_stored(new)) if is_text else (old, new)
            before[name], after[name] = _whole(was), _whole(short(became))
    told = _write(before).decode()
    return f"{unit():0{UNIT}}{len(told):0{LENGTH}}{told}{_write(after).decode()}"


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
