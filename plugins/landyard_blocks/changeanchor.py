"""`landing.block.changeAnchor`: set the anchor by which links point to a block (B5)."""

import re

from msgspec import Struct, field

from landyard import Call, CallError, Example, Id, MissingParams, NeededId, spelt
from landyard_blocks.changes import change_block, hold_block
from landyard_blocks.group import NeededText, block_methods, need_text
from landyard_blocks.unchanged import require_unchanged
from landyard_content import blocks
from landyard_landing import errors

_ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{1,254}")


class BadAnchor(CallError):
    code = "BAD_ANCHOR"
    text = (
        "An anchor begins with a letter and has two characters or more, each a letter from a to z,"
        " a digit or one of - _ . :"
    )


class ChangeAnchor(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `data`: the anchor, without #.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    data: NeededText
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.block.changeAnchor",
    right="edit",
    writes=True,
    errors=[
        MissingParams,
        errors.LandingNotExist,
        errors.BlockNotFound,
        errors.AccessDenied,
        BadAnchor,
        blocks.RevisionConflict,
    ],
    example=Example({"lid": 10, "block": 103, "data": "prices"}, result=True),
)
def change(call: Call, params: ChangeAnchor) -> bool:
    """Set the anchor of a block of the page's draft; an empty text removes it.

    Without an anchor of its own the block has `b<ID>`, which changes with the first publication.
    Visitors see the change when the page is published again. Needs the right to edit.
    """
    anchor = spelt(need_text(params.data, "data"))
    block = hold_block(call, params.page_id, params.block_id, params.scope)
    if anchor and not _ANCHOR.fullmatch(anchor):
        raise BadAnchor
    before, after = {"anchor": block.anchor}, {"anchor": anchor or None}
    require_unchanged(call, params.page_id, params.block_id, params.revision, after)
    change_block(
        call,
        params.page_id,
        params.block_id,
        before,
        after,
        history=not params.prevent_history,
    )
    return True
