"""Looks up one draft or published block that the caller may view, with its page and type."""

from typing import Any

from msgspec import Struct
from sqlalchemy import and_, bindparam, select

from landyard import Call, Prepared
from landyard_landing.blocks.blocktypes import BlockType, catalogue, read_types
from landyard_landing.blocks.drafts import ListedBlock
from landyard_landing.errors import BlockNotFound, LandingNotExist
from landyard_landing.sites.pages import SeenPage, find_page, find_page_with, page_with
from landyard_landing.tables import BLOCK, MANIFEST, PAGE


class SeenBlock(Struct, frozen=True):
    """A block that the caller may view; `digest` is its manifest's, see `read_types`."""

    id: int
    code: str
    active: bool
    anchor: str | None
    policy: int
    params: dict[str, Any]
    content: str
    digest: str | None


_COLUMNS = (*(BLOCK[name] for name in SeenBlock.__struct_fields__[:-1]), MANIFEST.digest)
_THIS = and_(
    BLOCK.id == bindparam("block_id"),
    BLOCK.page_id == PAGE.id,
    BLOCK.public == bindparam("public"),
    BLOCK.deleted.is_(False),
)
_FIND = page_with(
    *_COLUMNS,
    joined=lambda pages: pages.join(BLOCK.id.table, _THIS, isouter=True).join(
        MANIFEST.code.table, MANIFEST.code == BLOCK.code, isouter=True
    ),
)
_LISTED = Prepared(
    select(
        *(BLOCK[name] for name in ListedBlock.__struct_fields__[:-3]),
        MANIFEST.digest,
        BLOCK.policy,
        BLOCK.content,
    )
    .join(MANIFEST.code.table, MANIFEST.code == BLOCK.code, isouter=True)
    .where(
        BLOCK.id == bindparam("block_id"),
        BLOCK.public == bindparam("public"),
        BLOCK.deleted == bindparam("deleted"),
    ),
    ListedBlock,
)


def see_block(
    call: Call, page_id: int, block_id: int, scope: str | None, *, public: bool
) -> tuple[SeenPage, SeenBlock, BlockType]:
    """Find a block of a page's draft, or with `public` a published block, and its type.

    Raises `LandingNotExist`, and `BlockNotFound` also for one that is marked deleted.
    """
    page, row = find_page_with(call, _FIND, page_id, scope, block_id=block_id, public=public)
    if row[0] is None:
        raise BlockNotFound
    block = SeenBlock(*row)
    return page, block, type_of_block(call, block.code, block.digest)


def see_listed(
    call: Call, block_id: int, scope: str | None, *, public: bool, deleted: bool
) -> tuple[SeenPage, ListedBlock, BlockType]:
    """Find a block by its id alone, in the shape of lists, and its page; raises `BlockNotFound`.

    A caller without any access to sites gets `AccessDenied`, even where there is no block (R1).
    """
    wanted = {"block_id": block_id, "public": public, "deleted": deleted}
    block = _LISTED.first(call.connection, **wanted)
    try:
        page = find_page(call, block.page_id if block else 0, scope)
    except LandingNotExist:
        raise BlockNotFound from None
    assert block is not None
    return page, block, type_of_block(call, block.code, block.digest)


def type_of_block(call: Call, code: str, digest: str | None) -> BlockType:
    """Return a block's type; built-in types, the most frequent, need no query."""
    kind = None if digest else catalogue().get(code)
    if kind is None:
        kind = read_types(call.connection, {code: digest}, call.records(BlockType))[code]
    return kind
