"""Excerpts: of a long text that was changed in one place that place is kept, not all of it.

What it was is found again by going back from what there is now, change by change.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from landyard_undo.steps import Noted
from landyard_undo.treatment import DIGEST, SHORT, Values

EXCERPT: Final = "landyard_excerpt"
_LONG = 1_000  # characters: shorter texts are kept whole
_NEAR = 200  # bytes: where exactly the place begins need not be known
_AROUND = 150  # bytes beside the place, so that the address of a file stays in one piece
LOST: Final = {"landyard_lost": True}
"""Stands for a value that is not known any more: what is not noted has changed what came after."""


def excerpts(old: Any, new: Any) -> tuple[Any, Any]:
    """Return what is kept of a value that was changed, and of what it has become.

    Of a long text it is the place that differs: the bytes before and behind it, and it.
    """
    if not (isinstance(old, str) and isinstance(new, str) and min(len(old), len(new)) >= _LONG):
        return old, short(new)
    was, became = old.encode(), new.encode()
    most = min(len(was), len(became))
    first = _same_start(was, became, most)
    last = _same_end(was, became, most - first)
    first, last = _whole_characters(was, first - _AROUND, last - _AROUND)
    if first + last < len(was) // 2:
        return old, short(new)
    return _excerpt(was, first, last), _excerpt(became, first, last)


def complete(notes: Sequence[Noted], now: Values | None, database: Any) -> list[Noted]:
    """Find the whole values of changes of a row: all since one of them, the earliest first."""
    if not any(each.before and EXCERPT in each.before for each in notes):
        return list(notes)
    row, found = dict(now or {}), []
    for each in reversed(notes):
        before, after = database.decode(each.before), database.decode(each.after)
        for name, value in before.items():
            if isinstance(value, dict) and EXCERPT in value:
                before[name], after[name] = _whole(value, after[name], row.get(name))
        row |= before
        found.append(replace(each, before=database.encode(before), after=database.encode(after)))
    return found[::-1]


def short(value: Any) -> Any:
    """Return what is kept of a value that a call has made: of a longer one its digest."""
    if isinstance(value, str | bytes) and len(value) > SHORT:
        return {DIGEST: digest_of(value)}
    return value


def digest_of(value: Any) -> str:
    """Return what stands for a longer value."""
    data = value if isinstance(value, bytes) else str(value).encode()
    return hashlib.sha256(data, usedforsecurity=False).hexdigest()


def _same_start(was: bytes, became: bytes, most: int) -> int:
    """Find by halves with how many same bytes both begin, or some fewer."""
    found = 0
    while most - found > _NEAR:
        middle = (found + most) // 2
        if was.startswith(became[found:middle], found):
            found = middle
        else:
            most = middle
    return found


def _same_end(was: bytes, became: bytes, most: int) -> int:
    """Find by halves with how many same bytes both end, or some fewer."""
    found, whole, end = 0, len(became), len(was)
    while most - found > _NEAR:
        middle = (found + most) // 2
        if was.endswith(became[whole - middle : whole - found], 0, end - found):
            found = middle
        else:
            most = middle
    return found


def _whole_characters(text: bytes, first: int, last: int) -> tuple[int, int]:
    """Move the ends of a place away from it, to where characters begin."""
    first, last = max(0, first), max(0, last)
    while first and text[first] & 0xC0 == 0x80:
        first -= 1
    while last and text[len(text) - last] & 0xC0 == 0x80:
        last -= 1
    return first, last


def _excerpt(text: bytes, first: int, last: int) -> Values:
    return {EXCERPT: [first, last, text[first : len(text) - last].decode()]}


def _whole(before: Values, after: Values, now: Any) -> tuple[Any, Any]:
    """Tell both texts, of which the second is there now; `LOST` where it is another by now."""
    first, last, was = before[EXCERPT]
    became = after[EXCERPT][2].encode()
    text = now.encode() if isinstance(now, str) else b""
    if len(text) != first + len(became) + last or not text.startswith(became, first):
        return LOST, after
    return (text[:first] + was.encode() + text[first + len(became) :]).decode(), now
