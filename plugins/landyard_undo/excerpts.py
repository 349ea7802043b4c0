"""Excerpts: of a long text that was changed in one place that place is kept, not all of it.

What it was is found again by going back from what there is now, change by change.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from landyard_undo.steps import Noted
from landyard_undo.treatment import DIGEST, Values

EXCERPT: Final = "landyard_excerpt"
_LONG = 1_000  # characters: shorter texts are kept whole
_NEAR = 100  # characters: where exactly the place begins need not be known
_AROUND = 150  # characters beside the place, so that the address of a file stays in one piece
LOST: Final = {"landyard_lost": True}
"""Stands for a value that is not known any more: what is not noted has changed what came after."""


def excerpt(old: Any, new: Any) -> Any:
    """Return what is kept of a value that was changed: the value, or the place that differs."""
    if not isinstance(old, str) or not isinstance(new, str):
        return old
    if (most := min(len(old), len(new))) < _LONG:
        return old
    first, high = 0, most
    while high - first > _NEAR:
        middle = (first + high) // 2
        if old.startswith(new[first:middle], first):
            first = middle
        else:
            high = middle
    last, high = 0, most - first
    while high - last > _NEAR:
        middle = (last + high) // 2
        if old.endswith(new[len(new) - middle : len(new) - last], 0, len(old) - last):
            last = middle
        else:
            high = middle
    first, last = max(0, first - _AROUND), max(0, last - _AROUND)
    if first + last < len(old) // 2:
        return old
    return {EXCERPT: [first, last, old[first : len(old) - last]]}


def complete(notes: Sequence[Noted], now: Values | None, database: Any) -> list[Noted]:
    """Find the whole values of changes of a row: all since one of them, the earliest first."""
    if not any(each.before and EXCERPT in each.before for each in notes):
        return list(notes)
    row, found = dict(now or {}), []
    for each in reversed(notes):
        before, after = database.decode(each.before), database.decode(each.after)
        for name, value in before.items():
            if isinstance(value, dict) and EXCERPT in value:
                before[name] = _whole(value[EXCERPT], row.get(name), after.get(name))
        row |= before
        found.append(replace(each, before=database.encode(before)))
    return found[::-1]


def digest_of(value: Any) -> str:
    """Return what stands for a longer value."""
    data = value if isinstance(value, bytes) else str(value).encode()
    return hashlib.sha256(data, usedforsecurity=False).hexdigest()


def _whole(kept: tuple[int, int, str], became: Any, after: Any) -> Any:
    is_after = became == after
    if isinstance(after, dict) and DIGEST in after:
        is_after = digest_of(became) == after[DIGEST]
    if not is_after:
        return LOST
    first, last, between = kept
    return became[:first] + between + became[len(became) - last :]
