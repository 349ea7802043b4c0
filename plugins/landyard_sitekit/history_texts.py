"""Describes an edit of the history in a few words, for people."""

from collections.abc import Iterator
from typing import Any

import msgspec

from landyard_content import history

_SHORT = 40  # characters of a change that are shown


def changes(edit: history.Edit) -> Iterator[str]:
    """Say what an edit changed, in short: of each value the part that differs."""
    for name, after in edit.after.items():
        before = edit.before.get(name)
        old, new = _differing(_written(before), _written(after))
        yield f"{name}: {_shortened(old)} → {_shortened(new)}"


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _differing(old: str, new: str) -> tuple[str, str]:
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    return old[: len(old) - end], new[: len(new) - end]


def _common(one: str, other: str) -> int:
    """The number of characters that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat}'" if len(flat) <= _SHORT else f"'{flat[: _SHORT - 1]}…'"
