"""The order of a page's blocks, locked for a call that changes it."""

from landyard import Call
from landyard_content import blocks
from landyard_landing import errors, rights


def hold_editable(call: Call, page_id: int, scope: str | None) -> rights.ViewedPage:
    """Find a page that the caller may edit, and lock it: one call at a time changes its order."""
    pages: list[rights.ViewedPage] = []
    rights.hold_page(call, page_id, scope, rights.Right.EDIT, pages.append)
    return pages[-1]


def hold_order(
    call: Call, page_id: int, scope: str | None, block_id: int | None = None
) -> tuple[rights.ViewedPage, blocks.Order]:
    """Find a page that the caller may edit, and the order of its drafts, locked for this call.

    The page's row is locked, so edits of single blocks do not wait. Raises `LandingNotExist`,
    `BlockNotFound` where the page has no block `block_id` or it is marked deleted, and
    `AccessDenied`.
    """
    read: list[tuple[rights.ViewedPage, blocks.Order]] = []

    def judge(page: rights.ViewedPage) -> None:
        order = blocks.Order.read(call.connection, page.id)  # locked, if the caller may edit it
        read.append((page, order))
        _need(order, block_id)

    rights.hold_page(call, page_id, scope, rights.Right.EDIT, judge)
    return read[-1]


def _need(order: blocks.Order, block_id: int | None) -> None:
    if block_id is not None and not any(
        block.id == block_id and not block.deleted for block in order
    ):
        raise errors.BlockNotFound
