"""`landing.landing.moveblock`: move a block within a page's draft, or to another page's."""

from landyard import Call, Example, MissingParams
from landyard_blocks.block_view import show_draft
from landyard_blocks.changes import carry_block, find_block, move_block
from landyard_blocks.group import block_methods
from landyard_blocks.held_order import hold_order
from landyard_blocks.placement import Placed, ToPage, index_behind
from landyard_blocks.unchanged import require_place
from landyard_content import blocks
from landyard_landing import errors, rights


class MoveBlock(ToPage, frozen=True):
    """`lid`: the target page; `block`: the block's id; `revision`: the block's revision."""

    revision: blocks.Revision = None


@block_methods.method(
    "landing.landing.moveblock",
    right="edit, also where the block comes from",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.AccessDenied,
        errors.BlockNotFound,
        blocks.RevisionConflict,
    ],
    example=Example({"lid": 10, "block": 103, "params": {"AFTER_ID": 101}}, result=103),
)
def move(call: Call, params: MoveBlock) -> int | Placed:
    """Move a block of a draft to another place of its page, or to another page; answers its id.

    It is placed after the block `AFTER_ID` of the page, or last. With `RETURN_CONTENT` `Y` the
    answer is `{result: true, content: …}`, with the block as in landing.block.getcontent. Visitors
    see the change when the pages are published again. Needs the right to edit both pages.
    """
    rights.find_page(call, params.page_id, params.scope)
    source, _ = find_block(call, params.block_id, params.scope, drafts=True)
    source.require(rights.Right.EDIT)
    if source.id == params.page_id:
        _move(call, params)
    else:
        _carry(call, params, source.id)
    call.subject = f"page:{params.page_id}"
    if params.params.return_content:
        shown = show_draft(call, params.page_id, params.block_id, params.scope)
        return Placed(result=True, content=shown)
    return params.block_id


def _move(call: Call, params: MoveBlock) -> None:
    page, order = hold_order(call, params.page_id, params.scope, params.block_id)
    if params.params.after_id == params.block_id:
        return  # after itself, so it stays in its place
    others = order.without(params.block_id)
    index = index_behind(others, params.params.after_id)
    require_place(order, params.block_id, params.revision, index)
    move_block(call, page.id, order, params.block_id, index)


def _carry(call: Call, params: MoveBlock, source_id: int) -> None:
    orders = {}
    for page_id in sorted(
        {source_id, params.page_id}
    ):  # in a fixed order, because other calls lock two pages, too
        block_id = params.block_id if page_id == source_id else None
        orders[page_id] = hold_order(call, page_id, params.scope, block_id)[1]
    others = orders[params.page_id]
    require_place(orders[source_id], params.block_id, params.revision)
    carry_block(
        call,
        params.block_id,
        (source_id, orders[source_id]),
        (params.page_id, others),
        index_behind(others, params.params.after_id),
    )
