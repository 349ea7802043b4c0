"""`landing.block.getlist`: the blocks of pages, as a list (contract 4.3; B3 to B6)."""

import functools
from datetime import datetime, tzinfo

from msgspec import UNSET, Struct, UnsetType, field

from landyard import (
    Call,
    Example,
    Ids,
    MissingParams,
    Paged,
    Settings,
    SystemFailure,
    Truthy,
    WrongType,
)
from landyard_blocks.group import blocks
from landyard_landing import (
    AccessDenied,
    BlockType,
    LandingNotExist,
    ListedBlock,
    SeenPage,
    count_blocks,
    find_pages,
    list_blocks,
    read_types,
    safe_content,
    wrap_draft,
    wrap_public,
)

PAGE_SIZE = 50
_FARTHEST = 2**31 - 1 - PAGE_SIZE  # what a database takes as an offset

Listed = list[tuple[ListedBlock, SeenPage]]


class Mode(Struct, frozen=True):
    """`edit_mode`: the draft; `deleted`: blocks marked deleted; `get_content`: HTML as well."""

    edit_mode: Truthy = False
    deleted: Truthy = False
    get_content: Truthy = False


class GetList(Struct, frozen=True):
    """`lid`: a page's id or a list of them; `start`: the offset of the first block to answer."""

    page_ids: Ids = field(name="lid")
    mode: Mode = field(name="params", default=Mode())
    start: int = 0
    scope: str | None = None


class BlockMeta(Struct, frozen=True, rename="upper"):
    """What the list tells of a block besides: texts, all of them (B6)."""

    lid: str
    favorite_meta: str
    created_by_id: str
    date_create: str
    modified_by_id: str
    date_modify: str
    site_type: str
    landing_title: str
    landing_tpl_code: str
    site_tpl_code: str
    xml_id: str
    designer_mode: str


class BlockItem(Struct, frozen=True):
    """A block in the list (contract 2.1); the last three come with `get_content` only."""

    id: int
    lid: int
    code: str
    name: str
    active: bool
    meta: BlockMeta
    content: str | UnsetType = UNSET
    css: tuple[str, ...] | UnsetType = UNSET
    js: tuple[str, ...] | UnsetType = UNSET


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


@blocks.method(
    "landing.block.getlist",
    right="view",
    errors=[MissingParams, WrongType, LandingNotExist, AccessDenied, SystemFailure],
    example=_LAST_OF_A_DRAFT,
)
def get_list(call: Call, params: GetList) -> Paged[BlockItem]:
    """List the blocks of one page, or of several pages merged into one list.

    The pages stand in the order given, their blocks by sort. At most 50 blocks are answered;
    where more remain the envelope carries `next`, the offset to go on from, and `total`.
    Needs the right to view each page's site; if any page is missing the whole call fails.
    """
    pages = find_pages(call, params.page_ids, params.scope)
    start = min(max(0, params.start), _FARTHEST)
    listed, total = _window(call, pages, params.mode, start)
    digests = {block.code: block.digest for block, _ in listed}
    types = read_types(call.connection, digests, call.records(BlockType))
    zone = call.settings(Settings).zone
    items = [_item(zone, block, page, types[block.code], params.mode) for block, page in listed]
    if start + PAGE_SIZE < total:
        return Paged(items, start + PAGE_SIZE, total)
    return Paged(items)


def _window(call: Call, pages: list[SeenPage], mode: Mode, start: int) -> tuple[Listed, int]:
    """Read the blocks from `start` on, and count all there are."""
    kind = {"public": not mode.edit_mode, "deleted": mode.deleted}
    shown = {**kind, "with_content": mode.get_content}
    if len(pages) == 1:
        read = list_blocks(call.connection, pages[0].id, **shown, offset=start, limit=PAGE_SIZE + 1)
        if len(read) <= PAGE_SIZE:
            return [(block, pages[0]) for block in read], 0
    counts = count_blocks(call.connection, [page.id for page in pages], **kind)
    listed: Listed = []
    passed = 0
    for page in pages:
        here = counts.get(page.id, 0)
        if passed < start + PAGE_SIZE and passed + here > start:
            offset = max(0, start - passed)
            limit = PAGE_SIZE - len(listed)
            read = list_blocks(call.connection, page.id, **shown, offset=offset, limit=limit)
            listed += [(block, page) for block in read]
        passed += here
    return listed, passed


def _item(
    zone: tzinfo, block: ListedBlock, page: SeenPage, kind: BlockType, mode: Mode
) -> BlockItem:
    return BlockItem(
        id=block.id,
        lid=block.page_id,
        code=block.code,
        name=kind.name,
        active=block.active,
        meta=_meta(zone, block, page),
        content=_content(block, mode) if mode.get_content else UNSET,
        css=kind.css if mode.get_content else UNSET,
        js=kind.js if mode.get_content else UNSET,
    )


def _meta(zone: tzinfo, block: ListedBlock, page: SeenPage) -> BlockMeta:
    return BlockMeta(
        lid=str(block.page_id),
        favorite_meta="",
        created_by_id=str(block.created_by),
        date_create=_date(block.created_at, zone),
        modified_by_id=str(block.modified_by),
        date_modify=_date(block.modified_at, zone),
        site_type=page.site_type,
        landing_title=page.title,
        landing_tpl_code=page.template_code or "",
        site_tpl_code=page.site_template_code,
        xml_id=page.xml_id,
        designer_mode="",
    )


@functools.lru_cache(maxsize=4096)
def _date(moment: datetime, zone: tzinfo) -> str:
    """Write a date as the platform does: `09/13/2024 10:28:08 am` (B6)."""
    local = moment.astimezone(zone)
    return local.strftime("%m/%d/%Y %I:%M:%S ") + ("am" if local.hour < 12 else "pm")


def _content(block: ListedBlock, mode: Mode) -> str:
    content = safe_content(block.content, block.policy)
    if mode.edit_mode:
        return wrap_draft(block.id, block.code, content)
    if not block.active:
        return ""  # an inactive block has no published HTML (B5)
    return wrap_public(block.id, block.code, block.anchor, content)
