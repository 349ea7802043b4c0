"""`landing.landing.copyblock`: add a copy of a block to a page's draft (B1)."""

from msgspec.structs import replace

from landyard import Call, Example, MissingParams
from landyard_editing.block_view import show_draft
from landyard_editing.group import editing
from landyard_editing.placement import Placed, ToPage
from landyard_landing import (
    AccessDenied,
    BlockNotFound,
    LandingNotExist,
    add_block,
    find_block,
    find_page,
    hold_editable,
)


@editing.method(
    "landing.landing.copyblock",
    right="edit; view where the block comes from",
    writes=True,
    errors=[MissingParams, LandingNotExist, AccessDenied, BlockNotFound],
    example=Example({"lid": 10, "block": 103, "params": {"AFTER_ID": 103}}, result=223),
)
def copy(call: Call, params: ToPage) -> int | Placed:
    """Copy a block to a page's draft, and answer the copy's id.

    The block may be on any page that the caller can view, published or not. The copy is placed
    after the block `AFTER_ID`, or last, without an anchor. With `RETURN_CONTENT` `Y` the answer is
    `{result: true, content: …}`, with the block as in landing.block.getcontent. Visitors see it
    when the page is published. Needs the right to edit.
    """
    find_page(call, params.page_id, params.scope)
    _, parts = find_block(call, params.block_id, params.scope)
    page = hold_editable(call, params.page_id, params.scope)
    copied = replace(parts, anchor=None)
    block_id = add_block(call, page.id, copied, behind=params.params.after_id, or_last=True)
    if params.params.return_content:
        return Placed(result=True, content=show_draft(call, page.id, block_id, params.scope))
    return block_id
