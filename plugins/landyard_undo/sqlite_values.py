"""The values of SQLite's rows as JSON: Python writes it several times as fast as SQLite does."""

from collections.abc import Sequence
from itertools import compress
from operator import ne
from typing import Any

import msgspec

from landyard_undo.excerpts import excerpts, short
from landyard_undo.treatment import SHORT, Values

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


def write_old(names: Sequence[str], *values: Any) -> str:
    """Write a row that goes."""
    return encode(dict(zip(names, values, strict=True)))


def write_new(names: Sequence[str], *values: Any) -> str:
    """Write a row that has come, of longer values their digests."""
    return encode(dict(zip(names, map(short, values), strict=True)))


def write_changed(
    names: Sequence[str], texts: Sequence[bool], afters: list[str], *values: Any
) -> str:
    """Write what the columns that differ were; what they are now is put into `afters`.

    The values are the old ones, then the new ones. Those of `texts` are bytes that are a text, and
    texts that are the digits of bytes.
    """
    before: Values = {}
    after: Values = {}
    news = values[len(names) :]
    rows = zip(names, texts, values, news, strict=False)
    for name, is_text, old, new in compress(rows, map(ne, values, news)):
        if type(old) is type(new) is str and not is_text and len(new) <= SHORT:
            before[name], after[name] = old, new
        elif is_text and type(old) is type(new) is bytes:
            before[name], after[name] = excerpts(old, new)
        else:
            was, became = (_as_stored(old), _as_stored(new)) if is_text else (old, new)
            before[name], after[name] = _whole(was), _whole(short(became))
    afters[:] = (_write(after).decode(),)
    return _write(before).decode()


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
