"""`landing.landing.markdeletedblock` and `markundeletedblock`: reversible deletion of blocks."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, WrongType
from landyard_blocks.changes import change_block, hold_block
from landyard_blocks.group import OfHistory, block_methods
from landyard_blocks.unchanged import GONE, require_unchanged
from landyard_content import blocks
from landyard_landing import errors

_ERRORS = (
    MissingParams,
    errors.LandingNotExist,
    errors.AccessDenied,
    errors.BlockNotFound,
    WrongType,
    blocks.RevisionConflict,
)


class MarkDeleted(Struct, frozen=True):
    """`lid`, `block`: ids of a page and of a block of its draft; `mark`: whether it is deleted.

    `revision`: the revision of the block that the caller has read.
    """

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    mark: bool = True
    prevent_history: bool = field(name="preventHistory", default=False)
    revision: blocks.Revision = None
    scope: str | None = None


@block_methods.method(
    "landing.landing.markdeletedblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def mark_deleted(call: Call, params: MarkDeleted) -> bool:
    """Mark a block of the page's draft as deleted, or with `mark` false remove the mark.

    The block keeps its place. Visitors see the block until the page is published again. Needs the
    right to edit.
    """
    return _mark(call, params, deleted=params.mark)


@block_methods.method(
    "landing.landing.markundeletedblock",
    right="edit",
    writes=True,
    errors=_ERRORS,
    example=Example({"lid": 10, "block": 103}, result=True),
)
def mark_undeleted(call: Call, params: OfHistory) -> bool:
    """Remove the mark from a block of the page's draft that is marked as deleted.

    Visitors see the block when the page is published again. Needs the right to edit.
    """
    return _mark(call, params, deleted=False)


def _mark(call: Call, params: MarkDeleted | OfHistory, *, deleted: bool) -> bool:
    block = hold_block(call, params.page_id, params.block_id, params.scope, marked=True)
    after = GONE if deleted else {"deleted": deleted}
    require_unchanged(call, params.page_id, params.block_id, params.revision, after)
    if block.deleted != deleted:
        change_block(
            call,
            params.page_id,
            params.block_id,
            {"deleted": block.deleted},
            {"deleted": deleted},
            history=not params.prevent_history,
        )
    return True
