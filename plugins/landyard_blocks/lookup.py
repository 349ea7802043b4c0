"""Looks up one draft or published block that the caller may view, with its page and type."""

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, and_, bindparam, select

from landyard import Call, Prepared
from landyard_content import blocks
from landyard_landing import errors, rights, tables


class ViewedBlock(Struct, frozen=True):
    """A block that the caller may view; `digest` is its manifest's, see `read_types`."""

    id: int
    code: str
    active: bool
    anchor: str | None
    policy: int
    params: dict[str, Any]
    content: str
    digest: str | None


_COLUMNS = (
    *(tables.BLOCK[name] for name in ViewedBlock.__struct_fields__[:-1]),
    tables.MANIFEST.digest,
)
_THIS = and_(
    tables.BLOCK.id == bindparam("block_id"),
    tables.BLOCK.page_id == tables.PAGE.id,
    tables.BLOCK.public == bindparam("public"),
    tables.BLOCK.deleted.is_(False),
)
_WANTED = and_(
    tables.BLOCK.id == bindparam("block_id"),
    tables.BLOCK.public == bindparam("public"),
    tables.BLOCK.deleted == bindparam("deleted"),
)


def _with_block(pages: Select[Any], which: ColumnElement[bool]) -> Select[Any]:
    """Join a block, if the page has it, and the manifest of its code."""
    return pages.join(tables.BLOCK.id.table, which, isouter=True).join(
        tables.MANIFEST.code.table, tables.MANIFEST.code == tables.BLOCK.code, isouter=True
    )


_FIND = rights.PageQuery(*_COLUMNS, joined=lambda pages: _with_block(pages, _THIS))
_LISTED = rights.PageQuery(
    *(tables.BLOCK[name] for name in blocks.ListedBlock.__struct_fields__[:-3]),
    *(tables.MANIFEST.digest, tables.BLOCK.policy, tables.BLOCK.content),
    joined=lambda pages: _with_block(pages, _WANTED),
)
_STORED_DRAFT = Prepared(
    select(tables.BLOCK.content, tables.BLOCK.params).where(
        tables.BLOCK.id == bindparam("block_id")
    )
)


def see_block(
    call: Call, page_id: int, block_id: int, scope: str | None, *, public: bool
) -> tuple[rights.ViewedPage, ViewedBlock, blocks.BlockType]:
    """Find a block of a page's draft, or with `public` a published block, and its type.

    Raises `LandingNotExist`, and `BlockNotFound` also for one that is marked deleted.
    """
    page, row = _FIND.find(call, page_id, scope, block_id=block_id, public=public)
    if row[0] is None:
        raise errors.BlockNotFound
    block = ViewedBlock(*row)
    return page, block, type_of_block(call, block.code, block.digest)


def see_listed(
    call: Call, block_id: int, scope: str | None, *, public: bool, deleted: bool
) -> tuple[rights.ViewedPage, blocks.ListedBlock, blocks.BlockType]:
    """Find a block by its id alone, in the shape of lists, and its page; raises `BlockNotFound`.

    A caller without any access to sites gets `AccessDenied`, even where there is no block (R1).
    """
    try:
        page, row = _LISTED.find_of_block(call, block_id, scope, public=public, deleted=deleted)
    except errors.LandingNotExist:
        raise errors.BlockNotFound from None
    if row[0] is None:
        raise errors.BlockNotFound
    block = blocks.ListedBlock(*row)
    return page, block, type_of_block(call, block.code, block.digest)


def type_of_block(call: Call, code: str, digest: str | None) -> blocks.BlockType:
    """Return a block's type; built-in types, the most frequent, need no query."""
    kind = None if digest else blocks.catalogue().get(code)
    if kind is None:
        kind = blocks.read_types(call.connection, {code: digest}, call.records(blocks.BlockType))[
            code
        ]
    return kind


def stored_draft(call: Call, block_id: int) -> tuple[str, dict[str, dict[str, object]]]:
    """Read a draft's stored HTML and parameters (B15)."""
    stored: tuple[str, dict[str, dict[str, object]]] | None = _STORED_DRAFT.first(
        call.connection, block_id=block_id
    )
    assert stored is not None
    return stored
