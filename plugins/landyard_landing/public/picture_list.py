"""Lists the uploaded pictures on published pages, for the site map."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, select

from landyard_landing.blocks.drafts import safe_content
from landyard_landing.files.records import mentions
from landyard_landing.public.metadata import share_picture
from landyard_landing.public.pictures import pictures_in
from landyard_landing.tables import BLOCK, PAGE, SITE

_MOST = 100  # pictures of a page; search engines take a thousand
# Only the blocks that mention uploaded files, which an index has.
_BLOCKS = mentions(
    "content",
    select(BLOCK.page_id, BLOCK.content, BLOCK.policy)
    .join(PAGE.id.table, PAGE.id == BLOCK.page_id)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(BLOCK.public, BLOCK.active, ~BLOCK.deleted)
    .where(func.coalesce(SITE.domain, "") == bindparam("domain")),
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
        for each in pictures_in(safe_content(content, policy)):
            if each.src.startswith("/files/") and len(pictures) < _MOST:
                pictures[share_picture({"METAOG_IMAGE": each.src}, home)] = None
    return {page_id: list(urls) for page_id, urls in found.items()}
