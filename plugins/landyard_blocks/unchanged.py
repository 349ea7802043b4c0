"""Refusals of edits whose block or place was changed since the caller read it."""

from collections.abc import Mapping
from typing import Any

from landyard import Call
from landyard_content import blocks
from landyard_html.merging import SamePlace

GONE = {"content": None, "params": None}
"""The columns that a removal compares: a block edited since the revision is not removed."""


def require_unchanged(
    call: Call, page_id: int, block_id: int, revision: blocks.Revision, wanted: Mapping[str, Any]
) -> None:
    """Require columns of a draft block to be unchanged since the revision, or equal to `wanted`.

    A removal of the block passes `GONE` as `wanted`. Raises `RevisionConflict`.
    """
    unseen = (
        None if revision is None else blocks.look_back(call.connection, page_id, block_id, revision)
    )
    if unseen is None:
        return
    was, is_now = unseen.states[0], unseen.states[-1]
    for name, value in wanted.items():
        place = SamePlace(getattr(was, name), getattr(is_now, name), value)
        if place.theirs not in (place.base, place.yours):
            raise blocks.same_place(call, unseen, place)


def require_place(
    order: blocks.Order,
    block_id: int,
    revision: blocks.Revision,
    index: int | None = None,
) -> None:
    """Require a block to be where the revision has it, or at its new place `index` already.

    `index` counts in the order without the block; None for a move to another page. Raises
    `RevisionConflict`.
    """
    was_behind = blocks.stood_behind(revision)
    here = order.index_of(block_id)
    assert here is not None
    stands = order.id_before(here)
    if was_behind not in (None, stands) and here != index:
        others = order.without(block_id)
        wanted = None if index is None else others.id_before(index)
        raise blocks.refusal(SamePlace(was_behind, stands, wanted), None)
