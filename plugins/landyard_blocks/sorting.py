"""`landing.landing.upblock` and `downblock`: swap a block with its neighbour."""

from landyard import Call, CallError, Example, MissingParams, WrongType
from landyard_blocks.changes import move_block
from landyard_blocks.group import OfHistory, block_methods
from landyard_blocks.held_order import hold_order
from landyard_blocks.unchanged import require_place
from landyard_content import blocks
from landyard_landing import errors


class BlockWrongSort(CallError):
    code = "BLOCK_WRONG_SORT"
    text = "The block is the first one of the page, or the last; it cannot move further."


_ERRORS = (
    MissingParams,
    errors.LandingNotExist,
    errors.AccessDenied,
    errors.BlockNotFound,
    BlockWrongSort,
    WrongType,
    blocks.RevisionConflict,
)


@block_methods.method(
    "landing.landing.upblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def up(call: Call, params: OfHistory) -> bool:
    """Move a block one place up in the page's draft.

    Blocks marked deleted are skipped. Visitors see the change when the page is
    published again. Needs the right to edit.
    """
    return _step(call, params, -1)


@block_methods.method(
    "landing.landing.downblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def down(call: Call, params: OfHistory) -> bool:
    """Move a block one place down in the page's draft.

    Blocks marked deleted are skipped. Visitors see the change when the page is
    published again. Needs the right to edit.
    """
    return _step(call, params, 1)


def _step(call: Call, params: OfHistory, by: int) -> bool:
    page, order = hold_order(call, params.page_id, params.scope, params.block_id)
    require_place(order, params.block_id, params.revision)
    index = _neighbour(order, params.block_id, by)
    move_block(call, page.id, order, params.block_id, index, history=not params.prevent_history)
    return True


def _neighbour(order: blocks.Order, block_id: int, by: int) -> int:
    """Return the neighbour's index, to which the block is moved in the order without it."""
    standing = blocks.Order(block for block in order if not block.deleted)
    here = standing.index_of(block_id)
    assert here is not None
    if not 0 <= here + by < len(standing):
        raise BlockWrongSort
    there = order.index_of(standing[here + by].id)
    assert there is not None
    return there
