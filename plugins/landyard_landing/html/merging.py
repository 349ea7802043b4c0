"""Merges two edits of the same HTML three ways: what only one of them changed is as that has it.

Which edit came first makes no difference. The same change made twice is one. Where both changed the
same place, each in its own way, or it cannot be told whether they did, nothing is guessed.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from landyard_landing.html.alignment import align
from landyard_landing.html.pieces import Piece, Unreadable, read_pieces
from landyard_landing.html.policy import clean_block

_V = TypeVar("_V")
_FIRST = -1  # what stands in front of all there were


class SamePlace(Exception):
    """Both edits changed a place: what there was, and what each has made of it."""

    def __init__(self, base: object, theirs: object, yours: object) -> None:
        """Take the three: of a place in HTML its HTML."""
        super().__init__(base, theirs, yours)
        self.base, self.theirs, self.yours = base, theirs, yours


class _Side(Struct, frozen=True):
    """What one edit made of elements beside one another.

    `kept` are those there were, by their index, in their order now; `added` those that stand behind
    each of them, or behind `_FIRST`.
    """

    kept: dict[int, Piece]
    added: dict[int, list[Piece]]

    @property
    def is_moved(self) -> bool:
        return any(one > other for one, other in pairwise(self.kept))

    def recounts(self, source: str, alike: Sequence[int]) -> bool:
        """Whether there are more or fewer of those alike, or they may stand elsewhere."""
        added = (piece.source for pieces in self.added.values() for piece in pieces)
        return self.is_moved or source in added or not self.kept.keys() >= {*alike}

    def changes(self, source: str, alike: Sequence[int]) -> bool:
        """Whether any of those alike was changed in any way."""
        kept = (self.kept[at].source for at in alike if at in self.kept)
        return self.recounts(source, alike) or any(each != source for each in kept)


def merge_value(base: _V, theirs: _V, yours: _V) -> _V:
    """Merge two edits of what is one place; raises `SamePlace`."""
    if theirs in (base, yours):
        return yours
    if yours == base:
        return theirs
    raise SamePlace(base, theirs, yours)


def merge_html(base: str, theirs: str, yours: str, texts: Collection[str]) -> str:
    """Merge two edits of a block's HTML; `texts` are the selectors of its text nodes.

    Raises `SamePlace`.
    """
    if base in (theirs, yours):
        return merge_value(base, theirs, yours)
    try:
        merged = _inside(*(read_pieces(each, texts) for each in (base, theirs, yours)))
    except Unreadable:
        return merge_value(base, theirs, yours)  # the whole of it is one place
    # What is sound in each need not be so in both: a link's text with a link in it.
    if clean_block(merged) != merged and clean_block(theirs) == theirs:
        raise SamePlace(base, theirs, yours)
    return merged


def _element(base: Piece, theirs: Piece, yours: Piece) -> str:
    sources = (base.source, theirs.source, yours.source)
    if base.source in sources[1:]:
        return merge_value(*sources)
    try:
        start = _start(base, theirs, yours)
        end = merge_value(base.end, theirs.end, yours.end)
    except SamePlace:
        raise SamePlace(*sources) from None
    return start + _inside(base, theirs, yours) + end


def _start(base: Piece, theirs: Piece, yours: Piece) -> str:
    """Merge start tags; one that both changed has its attributes by name, whoever came first."""
    if base.start in (theirs.start, yours.start) or theirs.start == yours.start:
        return merge_value(base.start, theirs.start, yours.start)
    tag = merge_value(base.tag, theirs.tag, yours.tag)
    written = [each.attributes for each in (base, theirs, yours)]
    names = sorted({name for each in written for name in each})
    merged = [merge_value(*(each.get(name) for each in written)) for name in names]
    return f"<{' '.join([tag, *filter(None, merged)])}>"


def _inside(base: Piece, theirs: Piece, yours: Piece) -> str:
    inner = (base.inner, theirs.inner, yours.inner)
    if base.inner in inner[1:]:
        return merge_value(*inner)
    if base.is_whole or theirs.is_whole or yours.is_whole:
        if theirs.inner == yours.inner:
            return yours.inner
        raise SamePlace(base.source, theirs.source, yours.source)
    one, other = _side(base, theirs), _side(base, yours)
    order = _order(base, one, other)
    if order is None or _mixed_up(base.inside, one, other):
        raise SamePlace(base.source, theirs.source, yours.source)
    merged = [*_beside(base.inside, one, other, order)]
    return "".join(merged) + _blanks(base.tail, theirs.tail, yours.tail)


def _side(base: Piece, edited: Piece) -> _Side:
    pairs = align(base.inside, edited.inside)
    side, last = _Side({}, {}), _FIRST
    for at, piece in enumerate(edited.inside):
        if at in pairs:
            last = pairs[at]
            side.kept[last] = piece
        else:
            side.added.setdefault(last, []).append(piece)
    return side


def _order(base: Piece, one: _Side, other: _Side) -> Sequence[int] | None:
    """Say in which order those there were stand; None where each edit has another one."""
    moved = [side for side in (one, other) if side.is_moved]
    if not moved:
        return range(len(base.inside))
    kept = moved[0].kept
    if len(moved) > 1 and [*one.kept] != [*other.kept]:
        return None
    # What was moved may be gone; and where what was taken out stood is not told by another order.
    left = [at for at in kept if at in one.kept and at in other.kept]
    if left == sorted(left) or (one.added.keys() | other.added.keys()) - {_FIRST, *kept}:
        return None
    return [*kept, *(at for at in range(len(base.inside)) if at not in kept)]


def _beside(base: Sequence[Piece], one: _Side, other: _Side, order: Sequence[int]) -> Iterator[str]:
    """Write the elements beside one another."""
    yield from _added(_FIRST, one, other)
    for at in order:
        was, left, right = base[at], one.kept.get(at), other.kept.get(at)
        if left and right:
            yield _blanks(was.lead, left.lead, right.lead) + _element(was, left, right)
        elif left or right:
            stays = left or right
            if stays is not None and stays.source != was.source:  # edited here, taken out there
                raise SamePlace(was.source, left and left.source, right and right.source)
        yield from _added(at, one, other)


def _added(behind: int, one: _Side, other: _Side) -> list[str]:
    """Write what stands behind an element, and was not there."""
    left, right = (
        [piece.lead + piece.source for piece in side.added.get(behind, ())] for side in (one, other)
    )
    if left and right and left != right:
        raise SamePlace("", "".join(left), "".join(right))
    return left or right


def _mixed_up(base: Sequence[Piece], one: _Side, other: _Side) -> bool:
    """Whether both changed some of those just alike, one of them how many there are.

    Which was taken out, copied or moved cannot be told.
    """
    counts = Counter(piece.source for piece in base)
    for source in (source for source, count in counts.items() if count > 1):
        alike = [at for at, piece in enumerate(base) if piece.source == source]
        counted = [side for side in (one, other) if side.recounts(source, alike)]
        changed = [side for side in (one, other) if side.changes(source, alike)]
        if counted and len(changed) > 1:
            return True
    return False


def _blanks(base: str, theirs: str, yours: str) -> str:
    """Merge blanks, for which nobody is refused."""
    try:
        return merge_value(base, theirs, yours)
    except SamePlace:
        return max(theirs, yours)
