"""Merges the undo of a value with later changes of it, if they are in other places."""

from collections.abc import Mapping
from typing import Any

import msgspec

from landyard import Call
from landyard_undo.later_changes import ABSENT, UNKNOWN, Merge
from landyard_undo.rules import Merge as OwnersMerge
from landyard_undo.steps import is_same
from landyard_undo.values import Values, holds_json

_MISSING: Any = object()


def merge_of(call: Call, table: str, name: str, now: Values, by: OwnersMerge | None) -> Merge:
    """Return what merges two edits of a column, `by` its owner's function or by the keys of JSON.

    It raises `ValueError`.
    """
    is_json = holds_json(table, name)

    def merged(base: Any, theirs: Any, yours: Any) -> Any:
        sides = (base, theirs, yours)
        if any(each is UNKNOWN for each in sides):
            raise ValueError(name)
        if is_same(base, theirs):
            return yours
        if is_same(base, yours):
            return theirs
        if any(each is ABSENT for each in sides):
            raise ValueError(name)
        if by is not None:
            return by(call, now, base, theirs, yours)
        if not is_json:
            raise ValueError(name)
        if all(isinstance(each, str) for each in sides):  # SQLite's
            made = _merge_json(*map(msgspec.json.decode, sides))
            return msgspec.json.encode(made).decode()
        return _merge_json(*sides)

    return merged


def _merge_json(base: Any, theirs: Any, yours: Any) -> Any:
    """Merge objects by their keys; raises `ValueError` where both changed one, also alike."""
    if _is_alike(theirs, base):
        return yours
    if _is_alike(yours, base):
        return theirs
    if not all(isinstance(each, Mapping) for each in (base, theirs, yours)):
        raise ValueError
    merged = {}
    for key in {**theirs, **base, **yours}:
        value = _merge_json(*(each.get(key, _MISSING) for each in (base, theirs, yours)))
        if value is not _MISSING:
            merged[key] = value
    return merged


def _is_alike(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, in whatever order their keys are written."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_alike(one[key], other[key]) for key in one)
    return is_same(one, other)
