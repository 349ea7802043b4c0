"""Merges two edits of the same HTML by a three-way merge, element by element.

A place that one edit changed is taken from that edit. The order of the edits makes no difference,
and the same change made twice counts once. Where both changed a place differently, or may have, the
merge raises `SamePlace` and does not guess.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from landyard_html.alignment import align
from landyard_html.pieces import Piece, Unreadable, read_pieces
from landyard_html.policy import clean_block

_V = TypeVar("_V")
_FIRST = -1  # the position before all elements of the base


class SamePlace(Exception):
    """Both edits changed the same place; holds its value before and after each edit."""

    def __init__(self, base: object, theirs: object, yours: object) -> None:
        """Keep the three values; for a place in HTML they are pieces of HTML."""
        super().__init__(base, theirs, yours)
        self.base, self.theirs, self.yours = base, theirs, yours


class _Side(Struct, frozen=True):
    """One edit of a list of sibling elements.

    `kept` are the elements that remain, keyed by their index in the base, in their new order.
    `added` are the new elements behind each of them, or behind `_FIRST`.
    """

    kept: dict[int, Piece]
    added: dict[int, list[Piece]]

    @property
    def is_moved(self) -> bool:
        return any(one > other for one, other in pairwise(self.kept))

    def recounts(self, source: str, alike: Sequence[int]) -> bool:
        """Whether the edit may have added, removed or moved any of the elements `alike`."""
        added = (piece.source for pieces in self.added.values() for piece in pieces)
        return self.is_moved or source in added or not self.kept.keys() >= {*alike}

    def changes(self, source: str, alike: Sequence[int]) -> bool:
        """Whether the edit changed, added, removed or moved any of the elements `alike`."""
        kept = (self.kept[at].source for at in alike if at in self.kept)
        return self.recounts(source, alike) or any(each != source for each in kept)


def merge_value(base: _V, theirs: _V, yours: _V) -> _V:
    """Merge two edits of a single value; raises `SamePlace`."""
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
        return merge_value(base, theirs, yours)  # the whole HTML counts as one place
    # Two valid edits can merge into invalid HTML, such as a link inside a link.
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
    """Merge start tags; where both edits changed one, its attributes are sorted by name."""
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
    """The merged order of the base's elements; None where the edits contradict each other."""
    moved = [side for side in (one, other) if side.is_moved]
    if not moved:
        return range(len(base.inside))
    kept = moved[0].kept
    if len(moved) > 1 and [*one.kept] != [*other.kept]:
        return None
    # The moved element may have been removed by the other edit. And where elements moved, the
    # former position of a removed element is unknown.
    left = [at for at in kept if at in one.kept and at in other.kept]
    if left == sorted(left) or (one.added.keys() | other.added.keys()) - {_FIRST, *kept}:
        return None
    return [*kept, *(at for at in range(len(base.inside)) if at not in kept)]


def _beside(base: Sequence[Piece], one: _Side, other: _Side, order: Sequence[int]) -> Iterator[str]:
    """Write the merged sibling elements."""
    yield from _added(_FIRST, one, other)
    for at in order:
        was, left, right = base[at], one.kept.get(at), other.kept.get(at)
        if left and right:
            yield _blanks(was.lead, left.lead, right.lead) + _element(was, left, right)
        elif left or right:
            stays = left or right
            if stays is not None and stays.source != was.source:  # edited here, removed there
                raise SamePlace(was.source, left and left.source, right and right.source)
        yield from _added(at, one, other)


def _added(behind: int, one: _Side, other: _Side) -> list[str]:
    """Write the new elements behind an element of the base."""
    left, right = (
        [piece.lead + piece.source for piece in side.added.get(behind, ())] for side in (one, other)
    )
    if left and right and left != right:
        raise SamePlace("", "".join(left), "".join(right))
    return left or right


def _mixed_up(base: Sequence[Piece], one: _Side, other: _Side) -> bool:
    """Whether both edits changed equal elements, and one edit added, removed or moved one.

    Then it is unknown which of the equal elements was removed, copied or moved.
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
    """Merge white space; a conflict is settled and refuses no edit."""
    try:
        return merge_value(base, theirs, yours)
    except SamePlace:
        return max(theirs, yours)
