"""Merges an edit of an earlier revision of a draft block with the edits made since."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET

from landyard import Call
from landyard_landing.blocks.order import Ordered, id_before, index_of
from landyard_landing.blocks.revisions import (
    Revision,
    RevisionConflict,
    State,
    Unseen,
    look_back,
    read_revisions,
    stood_behind,
)
from landyard_landing.html.merging import SamePlace, merge_html, merge_value

GONE = {"content": None, "params": None}
"""The columns that a removal compares: a block edited since the revision is not removed."""
_MOST_MERGED = 2_000_000  # characters of all states since: merging them takes a few seconds
_SHOWN = 80  # characters of a value in a message

Params = dict[str, dict[str, Any]]


def merge_draft(call: Call, unseen: Unseen, content: str, params: Params) -> tuple[str, Params]:
    """Merge an edit of the caller's revision with the edits since, one after the other.

    Return the merged HTML and parameters. Raises `RevisionConflict`.
    """
    if sum(len(state.content) for state in unseen.states) > _MOST_MERGED:
        raise RevisionConflict("Too much was changed since this revision: read the block again.")
    merged = (content, params)
    try:
        for was, became in pairwise(unseen.states):
            merged = _merge(was, became, *merged, unseen.texts)
    except SamePlace:
        raise _same_place(call, unseen, _place(unseen, content, params)) from None
    return merged


def require_unchanged(
    call: Call, page_id: int, block_id: int, revision: Revision, wanted: Mapping[str, Any]
) -> None:
    """Require columns of a draft block to be unchanged since the revision, or equal to `wanted`.

    A removal of the block passes `GONE` as `wanted`. Raises `RevisionConflict`.
    """
    unseen = None if revision is None else look_back(call.connection, page_id, block_id, revision)
    if unseen is None:
        return
    was, is_now = unseen.states[0], unseen.states[-1]
    for name, value in wanted.items():
        place = SamePlace(getattr(was, name), getattr(is_now, name), value)
        if place.theirs not in (place.base, place.yours):
            raise _same_place(call, unseen, place)


def require_place(
    order: Sequence[Ordered], block_id: int, revision: Revision, index: int | None = None
) -> None:
    """Require a block to be where the revision has it, or at its new place `index` already.

    `index` counts in the order without the block; None for a move to another page. Raises
    `RevisionConflict`.
    """
    was_behind = stood_behind(revision)
    here = index_of(order, block_id)
    assert here is not None
    stands = id_before(order, here)
    if was_behind not in (None, stands) and here != index:
        others = [block for block in order if block.id != block_id]
        wanted = None if index is None else id_before(others, index)
        raise refusal(SamePlace(was_behind, stands, wanted), None)


def refusal(place: SamePlace, revision: str | None) -> RevisionConflict:
    """Make the error of a conflict; its data are the former, the present and the caller's value.

    A former value that is not stored is `UNSET`, and left out.
    """
    values = {"base": place.base, "theirs": place.theirs, "yours": place.yours}
    stored = {name: value for name, value in values.items() if value is not UNSET}
    was = f"there was {_shown(place.base)}, " if "base" in stored else ""
    error = RevisionConflict(
        f"The same place was changed since this revision: {was}there is {_shown(place.theirs)} now,"
        f" and this call would write {_shown(place.yours)}. Nothing was written; see `error_data`."
    )
    error.data = msgspec.json.encode({"revision": revision, **stored})
    return error


def _same_place(call: Call, unseen: Unseen, place: SamePlace) -> RevisionConflict:
    now = read_revisions(call.connection, [unseen.page_id]).get(unseen.block_id)
    return refusal(place, now)


def _merge(
    was: State, became: State, content: str, params: Params, texts: Collection[str]
) -> tuple[str, Params]:
    return (
        merge_html(was.content, became.content, content, texts),
        _merge_params(was.params, became.params, params),
    )


def _merge_params(base: Params, theirs: Params, yours: Params) -> Params:
    if base in (theirs, yours) or theirs == yours:
        return merge_value(base, theirs, yours)
    return {
        component: _merge_maps(*(each.get(component, {}) for each in (base, theirs, yours)))
        for component in {**base, **theirs, **yours}
    }


def _merge_maps(
    base: Mapping[str, Any], theirs: Mapping[str, Any], yours: Mapping[str, Any]
) -> dict[str, Any]:
    names = {**base, **theirs, **yours}
    values = {
        name: merge_value(*(each.get(name) for each in (base, theirs, yours))) for name in names
    }
    return {name: value for name, value in values.items() if value is not None}


def _place(unseen: Unseen, content: str, params: Params) -> SamePlace:
    """Find the place of the conflict in the present HTML; all of the HTML if there is none."""
    was, now = unseen.states[0], unseen.states[-1]
    try:
        _merge(was, now, content, params, unseen.texts)
    except SamePlace as place:
        return place
    return SamePlace(was.content, now.content, content)


def _shown(value: object) -> str:
    if value in (None, ""):
        return "nothing"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    flat = " ".join(text.split())
    return f"'{flat}'" if len(flat) <= _SHOWN else f"'{flat[: _SHOWN - 1]}…'"
