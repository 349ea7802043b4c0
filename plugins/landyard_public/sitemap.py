"""Writes the site map of a domain: all pages that search engines may list, with translations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from sqlalchemy import Connection, and_, func, select

from landyard_landing import tables
from landyard_landing.sites import RESERVED, Address
from landyard_public.picture_list import pictures_of_pages
from landyard_public.robots import may_be_listed
from landyard_public.translations import USUAL

PATH = "/sitemap.xml"

# The limits of search engines for one file, without the few bytes around the addresses.
MOST_URLS = 50_000
MOST_BYTES = 50_000_000

_SITES = select(
    *(
        tables.SITE.id,
        tables.SITE.code,
        tables.SITE.domain,
        tables.SITE.main_page_id,
        tables.SITE.page_404_id,
        tables.SITE.language,
    ),
    tables.SITE.additional_fields,
)
_FOLDERS = select(
    *(
        tables.FOLDER.id,
        tables.FOLDER.site_id,
        tables.FOLDER.parent_id,
        tables.FOLDER.code,
        tables.FOLDER.index_page_id,
    ),
    and_(tables.FOLDER.active, ~tables.FOLDER.deleted).label("shown"),
).join(tables.SITE.id.table, tables.SITE.id == tables.FOLDER.site_id)
_PAGES = (
    select(
        *(
            tables.PAGE.id,
            tables.PAGE.site_id,
            tables.PAGE.folder_id,
            tables.PAGE.code,
            tables.PAGE.rule,
            tables.PAGE.sitemap,
        ),
        *(
            tables.PAGE.modified_at,
            tables.PAGE.additional_fields,
            tables.PAGE.language,
            tables.PAGE.original_id,
        ),
    )
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.PAGE.active, tables.PAGE.published, ~tables.PAGE.deleted)
    .order_by(tables.PAGE.site_id, tables.PAGE.id)
)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"  # a namespace; nothing is fetched
_IMAGE = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
_XHTML = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'

_ORIGINAL = tables.PAGE.id.table.alias()
# The original and the domain of each page that is a translation or has one.
_GROUPS = select(
    func.coalesce(tables.PAGE.original_id, tables.PAGE.id).label("original"),
    func.coalesce(tables.SITE.domain, "").label("domain"),
).join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
_GROUPED = _GROUPS.where(tables.PAGE.original_id.is_not(None)).union(
    _GROUPS.where(
        tables.PAGE.id.in_(
            select(_ORIGINAL.c.original_id).where(_ORIGINAL.c.original_id.is_not(None))
        )
    )
)


class Listed(Struct, frozen=True):
    """A page that search engines may list; `original` is the original's id, or its own."""

    url: str
    changed: datetime
    language: str
    original: int
    translates: bool
    id: int


def sitemaps(connection: Connection, domain: str, base: str) -> Mapping[str, str]:
    """Write the files of a domain's site map, by query string; the first file's is "".

    A `domain` of "" stands for all sites without one. Where the pages do not fit one file, the
    first file lists the others. Takes a few queries, whatever the number of pages.
    """
    listed = list(list_pages(connection, domain, base))
    named = _translated(connection, domain, base, listed)
    shown = pictures_of_pages(connection, domain, Address(domain or None, "").url(base))
    files = [_urls(part) for part in _parts(listed, named, shown)]
    if len(files) < 2:
        return {"": files[0] if files else _urls(())}
    queries = [f"part={number}" for number in range(1, len(files) + 1)]
    home = Address(domain or None, PATH).url(base)
    index = (f"<sitemap><loc>{home}?{query}</loc></sitemap>\n" for query in queries)
    return {"": _file("sitemapindex", index)} | dict(zip(queries, files, strict=True))


def list_pages(connection: Connection, domain: str, base: str) -> Iterator[Listed]:
    """List the pages of active sites with this domain that visitors get at their own URL (P11)."""
    on_domain = tables.SITE.domain == domain if domain else tables.SITE.domain.is_(None)
    wanted = (tables.SITE.active, ~tables.SITE.deleted, on_domain)
    sites = {site.id: site for site in connection.execute(_SITES.where(*wanted))}
    folders = {folder.id: folder for folder in connection.execute(_FOLDERS.where(*wanted))}
    paths = {each: _path(folders, each) for each in folders if _is_shown(folders, each)}
    # Visitors do not see a page whose address a folder or an older page has already.
    used = {(row.site_id, row.parent_id, row.code) for row in folders.values() if row.shown}
    for page in connection.execute(_PAGES.where(*wanted)):
        site, folder = sites[page.site_id], folders.get(page.folder_id)
        own = (page.site_id, page.folder_id, page.code)
        has_address = not page.rule and own not in used
        if has_address:
            used.add(own)
        if page.id == site.main_page_id:
            path = ""
        elif page.id == site.page_404_id or (folder is not None and folder.id not in paths):
            continue
        elif folder is not None and folder.index_page_id == page.id:
            path = paths[folder.id]
        elif has_address and (page.folder_id is None or folder is not None):
            path = paths.get(page.folder_id, "") + _segment(page.code)
        else:
            continue
        if site.domain and path.partition("/")[0] in RESERVED:
            continue  # the service answers there itself
        listed = may_be_listed(site.additional_fields, page.additional_fields)
        if page.sitemap == "Y" and listed:
            home = "/" if site.domain else f"/{_segment(site.code)}"
            url = Address(site.domain, home + path).url(base)
            language = page.language or site.language
            original = page.original_id
            translates = original is not None
            yield Listed(url, page.modified_at, language, original or page.id, translates, page.id)


def _translated(
    connection: Connection, domain: str, base: str, listed: Sequence[Listed]
) -> Mapping[int, str]:
    """Write the links between translations, equal for all pages of a group, by original id.

    Translations may be on other domains, so the pages of these domains are listed as well.
    """
    where: dict[int, set[str]] = {}
    for row in connection.execute(_GROUPED):
        where.setdefault(row.original, set()).add(row.domain)
    ours = {original: domains for original, domains in where.items() if domain in domains}
    elsewhere = set().union(*ours.values()) - {domain}
    pages: dict[int, dict[str, str]] = {}
    for each in (
        *listed,
        *(page for other in sorted(elsewhere) for page in list_pages(connection, other, base)),
    ):
        if each.original in ours:
            urls = pages.setdefault(each.original, {})
            urls.setdefault(each.language, each.url)
            if not each.translates:
                urls[USUAL] = each.url
    return {
        original: _links(urls) for original, urls in pages.items() if len(urls.keys() - {USUAL}) > 1
    }


def _links(urls: Mapping[str, str]) -> str:
    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{escape(language)}" href="{escape(url)}"/>'
        for language, url in sorted(urls.items())
    )


def _path(folders: Mapping[int, Any], folder_id: int) -> str:
    path = ""
    at: int | None = folder_id
    while at is not None:
        path = _segment(folders[at].code) + path
        at = folders[at].parent_id
    return path


def _is_shown(folders: Mapping[int, Any], folder_id: int | None) -> bool:
    """Tell whether visitors can open a folder: it and all folders above are active."""
    while folder_id is not None:
        if not folders[folder_id].shown:
            return False
        folder_id = folders[folder_id].parent_id
    return True


def _segment(code: str) -> str:
    return f"{quote(code, safe='')}/"


def _parts(
    pages: Iterable[Listed], named: Mapping[int, str], shown: Mapping[int, Sequence[str]]
) -> Iterator[Sequence[str]]:
    """Write the pages in parts, each with as many as one file may hold."""
    part: list[str] = []
    size = 0
    for page in pages:
        moment = page.changed.isoformat(timespec="seconds")
        links = named.get(page.original, "") + _pictures(shown.get(page.id, ()))
        line = f"<url><loc>{escape(page.url)}</loc><lastmod>{moment}</lastmod>{links}</url>\n"
        if part and (len(part) == MOST_URLS or size + len(line) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _pictures(urls: Iterable[str]) -> str:
    written = (f"<image:loc>{escape(url)}</image:loc>" for url in urls)
    return "".join(f"<image:image>{each}</image:image>" for each in written)


def _urls(lines: Iterable[str]) -> str:
    return _file("urlset", lines)


def _file(root: str, lines: Iterable[str]) -> str:
    written = "".join(lines)
    more = _XHTML if "<xhtml:link " in written else ""
    more += _IMAGE if "<image:image>" in written else ""
    return f'{_HEAD}<{root} xmlns="{_SCHEMA}"{more}>\n{written}</{root}>\n'
