"""`landing.landing.showblock` and `hideblock`: show or hide a block."""

from landyard import Call, Example, MissingParams
from landyard_blocks.changes import change_block, hold_block
from landyard_blocks.group import OfDraft, block_methods
from landyard_blocks.unchanged import require_unchanged
from landyard_content import blocks
from landyard_landing import errors

_ERRORS = (
    MissingParams,
    errors.LandingNotExist,
    errors.AccessDenied,
    errors.BlockNotFound,
    blocks.RevisionConflict,
)


@block_methods.method(
    "landing.landing.showblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def show(call: Call, params: OfDraft) -> bool:
    """Show a hidden block of the page's draft.

    Visitors see the change when the page is published again. Needs the right to edit.
    """
    return _show(call, params, active=True)


@block_methods.method(
    "landing.landing.hideblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def hide(call: Call, params: OfDraft) -> bool:
    """Hide a block of the page's draft; it keeps its place.

    Visitors see the change when the page is published again. Needs the right to edit.
    """
    return _show(call, params, active=False)


def _show(call: Call, params: OfDraft, *, active: bool) -> bool:
    block = hold_block(call, params.page_id, params.block_id, params.scope)
    before, after = {"active": block.active}, {"active": active}
    require_unchanged(call, params.page_id, params.block_id, params.revision, after)
    if block.active != active:
        change_block(call, params.page_id, params.block_id, before, after)
    return True
