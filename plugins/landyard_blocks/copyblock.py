"""`landing.landing.copyblock`: add a copy of a block to a page's draft (B1)."""

from msgspec.structs import replace

from landyard import Call, Example, MissingParams
from landyard_blocks.block_view import show_draft
from landyard_blocks.changes import add_block, find_block
from landyard_blocks.group import block_methods
from landyard_blocks.held_order import hold_editable
from landyard_blocks.placement import Placed, ToPage
from landyard_landing import errors, rights


@block_methods.method(
    "landing.landing.copyblock",
    right="edit; view where the block comes from",
    writes=True,
    errors=[MissingParams, errors.LandingNotExist, errors.AccessDenied, errors.BlockNotFound],
    example=Example({"lid": 10, "block": 103, "params": {"AFTER_ID": 103}}, result=223),
)
def copy(call: Call, params: ToPage) -> int | Placed:
    """Copy a block to a page's draft, and answer the copy's id.

    The block may be on any page that the caller can view, published or not. The copy is placed
    after the block `AFTER_ID`, or last, without an anchor. With `RETURN_CONTENT` `Y` the answer is
    `{result: true, content: …}`, with the block as in landing.block.getcontent. Visitors see it
    when the page is published. Needs the right to edit.
    """
    rights.find_page(call, params.page_id, params.scope)
    _, parts = find_block(call, params.block_id, params.scope)
    page = hold_editable(call, params.page_id, params.scope)
    copied = replace(parts, anchor=None)
    block_id = add_block(call, page.id, copied, behind=params.params.after_id, or_last=True)
    if params.params.return_content:
        return Placed(result=True, content=show_draft(call, page.id, block_id, params.scope))
    return block_id
