"""Finds the pages of a site whose HTML has a link to one page's URL, in drafts or published."""

import re
from html import unescape
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Prepared
from landyard_landing import sites, tables

_LINK = re.compile(r'\shref="([^"]*)"')
_ON_SITE = Prepared(
    select(tables.PAGE.id, tables.PAGE.title, tables.BLOCK.public, tables.BLOCK.content)
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .where(
        tables.PAGE.site_id
        == select(tables.PAGE.site_id)
        .where(tables.PAGE.id == bindparam("page_id"))
        .scalar_subquery(),
        tables.PAGE.id != bindparam("page_id"),
        ~tables.PAGE.deleted,
        ~tables.BLOCK.deleted,
        tables.BLOCK.content.contains(bindparam("last"), autoescape=False)
        | tables.BLOCK.content.contains(bindparam("quoted"), autoescape=False),
    )
    .order_by(tables.PAGE.id)
)


class LinkingPage(Struct, frozen=True):
    """A page that links to another page; `public`: visitors see the link."""

    id: int
    title: str
    public: bool


def pages_linking_to(connection: Connection, page_id: int, base: str) -> list[LinkingPage]:
    """List the pages of a page's site, outside the trash, that link to it."""
    address = sites.address_of(connection, page_id)
    if address is None:
        return []
    last = address.path.rstrip("/").rpartition("/")[2]
    words = {"last": unquote(last) or "/", "quoted": quote(unquote(last)) or "/"}
    target = _place(address.url(base))
    found: dict[int, LinkingPage] = {}
    for row_id, title, public, content in _ON_SITE.all(connection, page_id=page_id, **words):
        own = sites.address_of(connection, row_id)
        if own and any(_place(urljoin(own.url(base), link)) == target for link in _links(content)):
            is_public = row_id in found and found[row_id].public
            found[row_id] = LinkingPage(row_id, title, bool(public) or is_public)
    return [*found.values()]


def _links(content: str) -> list[str]:
    links = (unescape(link).strip() for link in _LINK.findall(content))
    return [link for link in links if link and not link.startswith("#")]


def _place(url: str) -> tuple[str, str] | None:
    """Return the normalised host and path of an address; None where it has no host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return (parts.netloc.lower(), unquote(parts.path).strip("/")) if parts.netloc else None
