"""Pairs sibling elements of two versions of a block: unchanged, moved or edited."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence

from landyard_html.pieces import Piece

Pairs = dict[int, int]
_MOST = 200  # sibling elements that are compared; where there are more, the rest stay unpaired


def align(base: Sequence[Piece], new: Sequence[Piece]) -> Pairs:
    """Pair the `new` elements with those of `base`: a map of a new index to its old index.

    Elements with equal sources are paired, in place or moved. Where as many elements changed
    between two pairs as stood there before, they are paired in order, as edited. An element
    without a partner was removed, or is new.
    """
    was, now = [each.source for each in base], [each.source for each in new]
    first = _alike(was, now)
    last = min(_alike(was[::-1], now[::-1]), min(len(was), len(now)) - first)
    pairs = {at: at for at in range(first)}
    pairs |= {len(now) - at: len(was) - at for at in range(1, last + 1)}
    was, now = was[first : len(was) - last], now[first : len(now) - last]
    if max(len(was), len(now)) > _MOST:
        return pairs
    between = _moved(was, now) if Counter(was) == Counter(now) else _edited(was, now)
    return pairs | {
        first + at: first + to
        for at, to in between.items()
        if now[at] == was[to] or _is_similar(base[first + to], new[first + at])
    }


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the equal elements at the start of two lists."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _moved(was: Sequence[str], now: Sequence[str]) -> Pairs:
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for at, source in enumerate(was):
        places[source].append(at)
    return {at: places[source].popleft() for at, source in enumerate(now)}


def _edited(was: Sequence[str], now: Sequence[str]) -> Pairs:
    from difflib import SequenceMatcher  # slow to import

    matcher = SequenceMatcher(None, was, now, autojunk=False)
    blocks = [block[1:] for block in matcher.get_opcodes() if block[0] != "equal"]
    pairs = {
        at + each: to + each
        for to, at, size in matcher.get_matching_blocks()
        for each in range(size)
    }
    in_place = {
        at: at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one == other
    }
    if len(was) == len(now) and len(in_place) >= len(pairs):
        pairs = in_place
        blocks = [(at, at + 1, at, at + 1) for at in range(len(now)) if at not in pairs]
    pairs |= _carried(was, now, pairs)
    for start, end, here, there in blocks:
        paired = {*pairs.values()}
        left = [at for at in range(start, end) if at not in paired]
        come = [at for at in range(here, there) if at not in pairs]
        if len(left) == len(come):
            pairs |= dict(zip(come, left, strict=True))
    return pairs


def _carried(was: Sequence[str], now: Sequence[str], pairs: Pairs) -> Pairs:
    """Pair the elements that moved unchanged past elements that were edited."""
    gone = Counter(source for at, source in enumerate(was) if at not in pairs.values())
    come = Counter(source for at, source in enumerate(now) if at not in pairs)
    only = {source for source in gone.keys() & come.keys() if gone[source] == come[source] == 1}
    left = {source: at for at, source in enumerate(was) if at not in pairs.values()}
    return {at: left[now[at]] for at in range(len(now)) if at not in pairs and now[at] in only}


def _is_similar(one: Piece, other: Piece) -> bool:
    """Whether one may be the other, edited: its start tag, its content or an attribute is equal."""
    if one.start == other.start or (one.inner.strip() and one.inner == other.inner):
        return True
    shared = one.attributes.items() & other.attributes.items()
    return one.tag == other.tag and bool(shared)
