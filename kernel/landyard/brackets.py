"""PHP-style nested form fields: `a[b][]=1&a[b][]=2` is `{"a": {"b": ["1", "2"]}}` (C3)."""

import re
from collections.abc import Iterable
from typing import Any

# Possessive: what never gives back needs no room to remember it.
_PART = re.compile(r"\[((?:[^\[\]]++|\[[^\[\]]*+\])*+)\]")
_NAME = re.compile(r"[^\[]+")
_LONGEST_NAME = 8 * 1024  # characters


def nest(fields: Iterable[tuple[str, str]], *, deepest: int) -> dict[str, Any]:
    """Put fields into each other; of two that say the same, the last counts.

    `[]` takes the next free number. What is numbered from 0 without a gap becomes a list. Takes
    time in proportion to the fields. Raises `ValueError` beyond `deepest` levels, and for a name
    with brackets of more than 8,192 characters.
    """
    root: dict[str, Any] = {}
    free: dict[int, int] = {}  # by container: the number that `[]` takes there
    kept: list[dict[str, Any]] = []  # also those replaced: none may inherit another's number
    for name, value in fields:
        path = _path(name)
        if len(path) > deepest:
            raise ValueError(f"nested deeper than {deepest} levels")
        inside = root
        for place, part in enumerate(path):
            key = part or str(free.get(id(inside), 0))
            if place and key.isdecimal() and len(key) < 10:
                free[id(inside)] = max(free.get(id(inside), 0), int(key) + 1)
            if place == len(path) - 1:
                inside[key] = value
            else:
                if not isinstance(inside.get(key), dict):
                    inside[key] = {}
                    kept.append(inside[key])
                inside = inside[key]
    return {name: _as_list(value) for name, value in root.items()}


def _path(name: str) -> list[str]:
    """Split `a[b][]` into its parts; a name whose brackets do not close is one part."""
    if "[" not in name:
        return [name]
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"a name of more than {_LONGEST_NAME} characters in brackets")
    head = _NAME.match(name)
    if head is None:
        return [name]
    parts = [head[0]]
    at = head.end()
    while part := _PART.match(name, at):
        parts.append(part[1])
        at = part.end()
    return parts if at == len(name) else [name]


def _as_list(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    items = {key: _as_list(item) for key, item in value.items()}
    if all(str(number) in items for number in range(len(items))):
        return [items[str(number)] for number in range(len(items))]
    return items
