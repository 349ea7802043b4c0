"""`landing.landing.deleteblock`: remove a block from a page's draft."""

from landyard import Call, Example, MissingParams
from landyard_blocks.changes import remove_block
from landyard_blocks.group import OfDraft, block_methods
from landyard_blocks.held_order import hold_order
from landyard_blocks.unchanged import GONE, require_unchanged
from landyard_content import blocks
from landyard_landing import errors


@block_methods.method(
    "landing.landing.deleteblock",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.AccessDenied,
        errors.BlockNotFound,
        blocks.RevisionConflict,
    ],
    example=Example({"lid": 10, "block": 103}, result=True),
)
def delete(call: Call, params: OfDraft) -> bool:
    """Remove a block from the page's draft.

    The page's history can restore it; files uploaded for it are removed a day later unless they are
    still used. Visitors see the block until the page is published again. Needs the right to edit.
    """
    page, order = hold_order(call, params.page_id, params.scope, params.block_id)
    require_unchanged(call, page.id, params.block_id, params.revision, GONE)
    remove_block(call, page.id, order, params.block_id)
    return True
