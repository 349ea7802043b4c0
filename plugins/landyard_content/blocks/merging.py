"""Merges an edit of an earlier revision of a draft block with the edits made since."""

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET

from landyard import Call
from landyard_content.blocks.revisions import (
    RevisionConflict,
    State,
    Unseen,
    read_revisions,
)
from landyard_html.merging import SamePlace, merge_html, merge_value

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
        raise same_place(call, unseen, _place(unseen, content, params)) from None
    return merged


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


def same_place(call: Call, unseen: Unseen, place: SamePlace) -> RevisionConflict:
    """Make the error of an edit in a place that was changed since, with the present revision."""
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
