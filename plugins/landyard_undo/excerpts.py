"""Keeps only an excerpt of a long text that changed in one place, and restores the whole text.

The whole text is found again by going back from the present one, change by change. Excerpts are
made on SQLite. PostgreSQL keeps whole texts, and excerpts from before version 10 of its triggers.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from landyard_undo.steps import Noted
from landyard_undo.values import DIGEST, SHORT, Values, holds_json

EXCERPT: Final = "landyard_excerpt"
LONG = 1_000  # bytes: shorter texts are kept whole
NEAR = 100  # bytes: where exactly the place begins need not be known
FEW = 150  # bytes: a place is often no longer, so its end is looked for there first
AROUND = 48  # bytes beside the place, so that what names a file (40) stays in one piece
_guess = [(0, 0)]  # who writes, or a script, often changes the same place again
LOST: Final = {"landyard_lost": True}
"""Stands for a value that is not known any more: what is not noted has changed what came after."""


def excerpts(was: bytes, became: bytes) -> tuple[Any, Any]:
    """Return what is kept of a text that was changed, and of what it has become.

    Of a long one it is the place that differs, with the number of bytes before and behind it. The
    old text is kept with some bytes beside the place, the new one without.
    """
    most = min(len(was), len(became))
    if most >= LONG:
        first, last = _same(was, became, most)
        if first + last >= len(was) // 2:
            begin = first - AROUND if first > AROUND else 0
            end = last - AROUND if last > AROUND else 0
            return _excerpt(was, begin, end), _excerpt(became, first, last)
    return was.decode(), short(became.decode())


def complete(notes: Sequence[Noted], now: Values | None, database: Any) -> list[Noted]:
    """Find the whole values of changes of a row: all since one of them, the earliest first."""
    if not any(each.before and EXCERPT in each.before for each in notes):
        return list(notes)
    row, found = dict(now or {}), []
    for each in reversed(notes):
        before, after = database.values(each)
        for name, value in before.items():
            is_ours = isinstance(value, dict) and EXCERPT in value
            if is_ours and not holds_json(each.of_table, name):
                before[name], after[name] = _whole(value, after[name], row.get(name))
        # A row may be removed without its values being noted: no value is known before that.
        row = before if each.kind == "delete" else {**row, **before}
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


def _same(was: bytes, became: bytes, most: int) -> tuple[int, int]:
    """Find with how many same bytes both begin and end, or some fewer."""
    first, last = _guess[0]
    if 0 <= most - first - last <= NEAR + FEW and (
        was.startswith(became[:first]) and was.endswith(became[len(became) - last :])
    ):
        return first, last
    found = _guess[0] = _by_halves(was, became, most)
    return found


def _by_halves(was: bytes, became: bytes, most: int) -> tuple[int, int]:
    first, beyond = 0, most
    begins = was.startswith
    while beyond - first > NEAR:
        middle = (first + beyond) >> 1
        if begins(became[first:middle], first):
            first = middle
        else:
            beyond = middle
    last, beyond, whole, end = 0, most - first, len(became), len(was)
    if beyond > FEW:
        beyond -= FEW
        if was.endswith(became[whole - beyond :]):
            return first, beyond
    while beyond - last > NEAR:
        middle = (last + beyond) // 2
        if was.endswith(became[whole - middle : whole - last], 0, end - last):
            last = middle
        else:
            beyond = middle
    return first, last


def _excerpt(text: bytes, first: int, last: int) -> Values:
    """Keep a text but for so many bytes at both ends, or fewer so that no character is cut."""
    while first and text[first] & 0xC0 == 0x80:
        first -= 1
    while last and text[-last] & 0xC0 == 0x80:
        last -= 1
    return {EXCERPT: [first, last, text[first : len(text) - last].decode()]}


def _whole(before: Values, after: Values, now: Any) -> tuple[Any, Any]:
    """Tell both texts, of which the second is there now; `LOST` where it is another by now."""
    (first, last, was), (begin, end, became) = before[EXCERPT], after[EXCERPT]
    around = was.encode()
    became = around[: begin - first] + became.encode() + around[len(around) - end + last :]
    text = now.encode() if isinstance(now, str) else b""
    if len(text) != first + len(became) + last or not text.startswith(became, first):
        return LOST, after
    return (text[:first] + around + text[first + len(became) :]).decode(), now
