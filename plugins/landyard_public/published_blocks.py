"""Looks up a single published block by its id, with its page."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select

from landyard import Prepared
from landyard_content import blocks
from landyard_landing import sites, tables

_FIND = Prepared(
    select(
        *(tables.BLOCK.page_id, tables.PAGE.site_id, tables.PAGE.folder_id, tables.PAGE.title),
        func.coalesce(tables.PAGE.language, tables.SITE.language),
        *(tables.BLOCK.code, tables.BLOCK.content, tables.BLOCK.policy),
    )
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(
        *(
            tables.BLOCK.id == bindparam("block_id"),
            tables.BLOCK.public,
            tables.BLOCK.active,
            ~tables.BLOCK.deleted,
        ),
        *(
            tables.PAGE.active,
            tables.PAGE.published,
            ~tables.PAGE.deleted,
            tables.SITE.active,
            ~tables.SITE.deleted,
        ),
    )
)
_FOLDER = Prepared(
    select(tables.FOLDER.parent_id).where(
        tables.FOLDER.id == bindparam("folder_id"), tables.FOLDER.active, ~tables.FOLDER.deleted
    )
)


class PublishedBlock(Struct, frozen=True):
    """A block that visitors see, with its sanitised HTML; `language` is its page's."""

    id: int
    page_id: int
    site_id: int
    page_title: str
    language: str
    code: str
    content: str


def published_block(connection: Connection, block_id: int) -> PublishedBlock | None:
    """Find a block by the id of its published copy; None where visitors do not see it."""
    if not 0 < block_id <= sites.BIGGEST_ID:
        return None
    row = _FIND.first(connection, block_id=block_id)
    if row is None:
        return None
    page_id, site_id, folder_id, title, language, code, content, policy = row
    while folder_id is not None:
        above = _FOLDER.first(connection, folder_id=folder_id)
        if above is None:
            return None
        (folder_id,) = above
    content = blocks.safe_content(content, policy)
    return PublishedBlock(block_id, page_id, site_id, title, language, code, content)
