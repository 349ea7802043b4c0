"""`landing.block.getlist`: the blocks of pages, as a list (contract 4.3; B3 to B6)."""

from msgspec import Struct, field

from landyard import (
    Call,
    Example,
    Ids,
    MissingParams,
    Paged,
    Settings,
    SystemFailure,
    WrongType,
)
from landyard_blocks.group import block_methods
from landyard_blocks.listing import BlockItem, Mode, list_block, with_revisions
from landyard_content import blocks
from landyard_landing import errors, rights

PAGE_SIZE = 50
_FARTHEST = 2**31 - 1 - PAGE_SIZE  # the largest offset that a database accepts

Listed = list[tuple[blocks.ListedBlock, rights.ViewedPage]]


class GetList(Struct, frozen=True):
    """`lid`: a page's id or a list of them; `start`: the offset of the first block to answer."""

    page_ids: Ids = field(name="lid")
    mode: Mode = field(name="params", default=Mode())
    start: int = 0
    scope: str | None = None


_LAST_OF_A_DRAFT = Example(
    {"lid": 10, "params": {"edit_mode": True}, "start": 7},
    result=[
        {
            "id": 107,
            "lid": 10,
            "code": "ly.footer",
            "name": "Footer",
            "active": True,
            "meta": {
                "LID": "10",
                "FAVORITE_META": "",
                "CREATED_BY_ID": "0",
                "DATE_CREATE": "01/01/2026 12:00:00 am",
                "MODIFIED_BY_ID": "0",
                "DATE_MODIFY": "01/01/2026 12:00:00 am",
                "SITE_TYPE": "PAGE",
                "LANDING_TITLE": "Tidewright: small wooden boats",
                "LANDING_TPL_CODE": "",
                "SITE_TPL_CODE": "empty",
                "XML_ID": "",
                "DESIGNER_MODE": "",
            },
        }
    ],
)


@block_methods.method(
    "landing.block.getlist",
    right="view",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied, SystemFailure],
    example=_LAST_OF_A_DRAFT,
)
def get_list(call: Call, params: GetList) -> Paged[BlockItem]:
    """List the blocks of one page, or of several pages merged into one list.

    Pages keep the given order, and blocks are ordered by sort. At most 50 blocks are answered; if
    more remain, the envelope carries `next`, the offset to continue from, and `total`. Needs the
    right to view each page's site; if any page is missing, the whole call fails.
    """
    pages = rights.find_pages(call, params.page_ids, params.scope)
    start = min(max(0, params.start), _FARTHEST)
    rows, total = _window(call, pages, params.mode, start)
    digests = {block.code: block.digest for block, _ in rows}
    types = blocks.read_types(call.connection, digests, call.records(blocks.BlockType))
    zone = call.settings(Settings).zone
    detail = {"draft": params.mode.edit_mode, "with_content": params.mode.get_content}
    items = [list_block(zone, block, page, types[block.code], **detail) for block, page in rows]
    if params.mode.get_revision and params.mode.edit_mode:
        items = with_revisions(call.connection, items)
    if start + PAGE_SIZE < total:
        return Paged(items, start + PAGE_SIZE, total)
    return Paged(items)


def _window(
    call: Call, pages: list[rights.ViewedPage], mode: Mode, start: int
) -> tuple[Listed, int]:
    """Return the blocks from `start` on, and the number of all blocks."""
    kind = {"public": not mode.edit_mode, "deleted": mode.deleted}
    detail = {**kind, "with_content": mode.get_content}
    if len(pages) == 1:
        read = blocks.list_blocks(
            call.connection, pages[0].id, **detail, offset=start, limit=PAGE_SIZE + 1
        )
        if len(read) <= PAGE_SIZE:
            return [(block, pages[0]) for block in read], 0
    counts = blocks.count_blocks(call.connection, [page.id for page in pages], **kind)
    rows: Listed = []
    passed = length = 0
    for page in pages:
        here = counts.get(page.id, 0)
        if passed < start + PAGE_SIZE and passed + here > start:
            offset = max(0, start - passed)
            limit = PAGE_SIZE - len(rows)
            read = blocks.list_blocks(
                call.connection, page.id, **detail, offset=offset, limit=limit
            )
            length += sum(len(block.content) for block in read)
            blocks.require_answer(call, length)
            rows += [(block, page) for block in read]
        passed += here
    return rows, passed
