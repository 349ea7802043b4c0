"""Lists the uploaded pictures on published pages, for the site map."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, select

from landyard_content import blocks, files
from landyard_landing import tables
from landyard_public.metadata import share_picture
from landyard_public.pictures import pictures_in

_MOST = 100  # pictures of a page; search engines take a thousand
# Only the blocks that mention uploaded files, which an index has.
_BLOCKS = files.mentions(
    "content",
    select(tables.BLOCK.page_id, tables.BLOCK.content, tables.BLOCK.policy)
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.BLOCK.public, tables.BLOCK.active, ~tables.BLOCK.deleted)
    .where(func.coalesce(tables.SITE.domain, "") == bindparam("domain")),
)


def pictures_of_pages(
    connection: Connection, domain: str, home: str
) -> Mapping[int, Sequence[str]]:
    """Find the URLs of uploaded pictures on the pages of a domain, by page id.

    A `domain` of "" stands for all sites without one; `home` is the scheme and host in front of
    paths.
    """
    found: dict[int, dict[str, None]] = {}
    query = _BLOCKS[connection.dialect.name]
    for page_id, content, policy in connection.execute(query, {"domain": domain}):
        pictures = found.setdefault(page_id, {})
        for each in pictures_in(blocks.safe_content(content, policy)):
            if each.src.startswith("/files/") and len(pictures) < _MOST:
                pictures[share_picture({"METAOG_IMAGE": each.src}, home)] = None
    return {page_id: list(urls) for page_id, urls in found.items()}
