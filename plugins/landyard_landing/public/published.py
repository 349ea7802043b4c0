"""Looks up a single published block by its id, with its page."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select

from landyard import Prepared
from landyard_landing.blocks.drafts import safe_content
from landyard_landing.sites.codes import BIGGEST_ID
from landyard_landing.tables import BLOCK, FOLDER, PAGE, SITE

_FIND = Prepared(
    select(
        *(BLOCK.page_id, PAGE.site_id, PAGE.folder_id, PAGE.title),
        func.coalesce(PAGE.language, SITE.language),
        *(BLOCK.code, BLOCK.content, BLOCK.policy),
    )
    .join(PAGE.id.table, PAGE.id == BLOCK.page_id)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(
        *(BLOCK.id == bindparam("block_id"), BLOCK.public, BLOCK.active, ~BLOCK.deleted),
        *(PAGE.active, PAGE.published, ~PAGE.deleted, SITE.active, ~SITE.deleted),
    )
)
_FOLDER = Prepared(
    select(FOLDER.parent_id).where(
        FOLDER.id == bindparam("folder_id"), FOLDER.active, ~FOLDER.deleted
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
    if not 0 < block_id <= BIGGEST_ID:
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
    content = safe_content(content, policy)
    return PublishedBlock(block_id, page_id, site_id, title, language, code, content)
