"""Writes the Atom feed of the articles in a site or a folder."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Prepared
from landyard_content import blocks
from landyard_html.microdata import Meaning, read_meaning, read_parts
from landyard_landing import sites, tables
from landyard_public.machine_dates import read_day
from landyard_public.page_lookup import page_at
from landyard_public.robots import may_be_listed

NAME = "feed.xml"
"""The last segment of a feed's address, behind that of a main page or of a folder's index page."""
_MOST = 50  # articles of a feed
_READ = 200  # blocks of the last published pages that are searched for articles
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_PLACE = Prepared(
    select(
        *(
            tables.PAGE.site_id,
            tables.PAGE.folder_id,
            tables.PAGE.title,
            tables.SITE.main_page_id,
            tables.SITE.title,
        ),
        *(tables.SITE.additional_fields, tables.SITE.domain),
    )
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.PAGE.id == bindparam("page_id"))
)
_INDEX = Prepared(
    select(tables.FOLDER.index_page_id).where(tables.FOLDER.id == bindparam("folder_id"))
)
_FOLDERS = Prepared(
    select(tables.FOLDER.id, tables.FOLDER.parent_id).where(
        tables.FOLDER.site_id == bindparam("site_id")
    )
)
_SHOWN = (
    select(
        *(
            tables.PAGE.id,
            tables.PAGE.folder_id,
            tables.PAGE.created_at,
            tables.PAGE.modified_at,
            tables.PAGE.date_public,
        ),
        *(
            tables.PAGE.additional_fields,
            tables.BLOCK.code,
            tables.BLOCK.content,
            tables.BLOCK.policy,
        ),
    )
    .join(tables.BLOCK.id.table, tables.BLOCK.page_id == tables.PAGE.id)
    .where(
        tables.PAGE.active,
        tables.PAGE.published,
        ~tables.PAGE.deleted,
        tables.BLOCK.public,
        tables.BLOCK.active,
        ~tables.BLOCK.deleted,
    )
    .order_by(
        tables.PAGE.date_public.desc(), tables.PAGE.id.desc(), tables.BLOCK.sort, tables.BLOCK.id
    )
    .limit(_READ)
)


class Article(Struct, frozen=True):
    """An article at its page's address; `published` is a moment in UTC, as ISO 8601."""

    page_id: int
    url: str
    title: str
    author: str
    text: str
    published: str
    created: datetime
    changed: datetime


def feed_of(
    connection: Connection,
    domain: str,
    path: str,
    base: str,
    plugin_types: Mapping[str, blocks.BlockType],
) -> str:
    """Write the feed at a path of a site's domain; "" where no feed has this path, or no article.

    The feed below the main page has all articles of the site; the feed below a folder's index page
    has the articles in this folder. `plugin_types` are the block types of plugins.
    """
    above = path.removesuffix(NAME)
    index_id = page_at(connection, domain, above) if path.endswith(f"/{NAME}") else None
    if index_id is None:
        return ""
    place = _PLACE.first(connection, page_id=index_id)
    assert place is not None
    site_id, folder_id, page_title, main_id, site_title, fields, own_domain = place
    folders: frozenset[int] | None = None
    if index_id != main_id:
        if folder_id is None or _INDEX.first(connection, folder_id=folder_id) != (index_id,):
            return ""
        folders = _inside(connection, site_id, folder_id)
    meanings = _meanings(connection, plugin_types)
    listed = list(_articles(connection, site_id, folders, fields, meanings, base))
    if not listed:
        return ""
    listed.sort(key=lambda each: (each.published, each.page_id), reverse=True)
    title = site_title if folders is None else page_title
    return _feed(
        title or site_title or above, sites.Address(own_domain, above).url(base), listed[:_MOST]
    )


def _inside(connection: Connection, site_id: int, folder_id: int) -> frozenset[int]:
    """Find the ids of a folder and of all folders below it."""
    inside: dict[int | None, list[int]] = {}
    for each, parent in _FOLDERS.all(connection, site_id=site_id):
        inside.setdefault(parent, []).append(each)
    found, waiting = {folder_id}, [folder_id]
    while waiting:
        new = set(inside.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return frozenset(found)


def _meanings(
    connection: Connection, plugin_types: Mapping[str, blocks.BlockType]
) -> Mapping[str, Meaning]:
    """Read the meanings of the block types that are articles, by the types' codes."""
    read = (
        (code, read_meaning(kind.manifest.document))
        for code, kind in blocks.list_types(connection, plugin_types).items()
    )
    return {code: meaning for code, meaning in read if meaning and meaning.type == "article"}


def _articles(  # noqa: PLR0917 - of one caller
    connection: Connection,
    site_id: int,
    folders: frozenset[int] | None,
    site_fields: Mapping[str, Any],
    meanings: Mapping[str, Meaning],
    base: str,
) -> Iterator[Article]:
    query = _SHOWN.where(tables.PAGE.site_id == site_id, tables.BLOCK.code.in_(list(meanings)))
    if folders is not None:
        query = query.where(tables.PAGE.folder_id.in_(folders))
    page_ids: set[int] = set()
    for row in connection.execute(query).all():
        if row.id in page_ids or not may_be_listed(site_fields, row.additional_fields):
            continue
        page_ids.add(row.id)  # the first article block of a page is the page's article
        parts = read_parts(meanings[row.code], blocks.safe_content(row.content, row.policy))
        address = sites.address_of(connection, row.id)
        if not parts or address is None:
            continue
        if page_at(connection, address.domain or "", address.path) == row.id:
            yield _article(row, parts[0], address.url(base))


def _article(row: Any, parts: Mapping[str, str], url: str) -> Article:
    day = read_day(parts.get("date", ""))
    since = row.date_public or row.created_at
    return Article(
        row.id,
        url,
        parts["title"],
        parts.get("author", ""),
        parts.get("text", ""),
        f"{day}T00:00:00Z" if day else _moment(since),
        row.created_at,
        row.modified_at,
    )


def _feed(title: str, url: str, articles: Iterable[Article]) -> str:
    listed = list(articles)
    changed = max(each.changed for each in listed)
    entries = "".join(_entry(each, title) for each in listed)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(url)}{NAME}</id>\n<title>{_text(title)}</title>\n"
        f"<updated>{_moment(changed)}</updated>\n"
        f'<link rel="self" href="{escape(url)}{NAME}"/>\n'
        f'<link rel="alternate" type="text/html" href="{escape(url)}"/>\n'
        f"{entries}</feed>\n"
    )


def _entry(article: Article, site: str) -> str:
    host = urlsplit(article.url).hostname or "localhost"
    name = f"tag:{host},{article.created:%Y-%m-%d}:page-{article.page_id}"
    summary = f"<summary>{_text(article.text)}</summary>" if article.text else ""
    return (
        f"<entry><id>{escape(name)}</id><title>{_text(article.title)}</title>"
        f"<published>{article.published}</published><updated>{_moment(article.changed)}</updated>"
        f"<author><name>{_text(article.author or site)}</name></author>"
        f'<link href="{escape(article.url)}"/>{summary}</entry>\n'
    )


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("", text))
