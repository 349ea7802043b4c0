"""The site map: every page that search engines may list, by the address that leads to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, and_, select

from landyard_landing.public.metadata import is_indexed
from landyard_landing.sites.urls import RESERVED, Address
from landyard_landing.tables import FOLDER, PAGE, SITE

PATH = "/sitemap.xml"

# What search engines take of one file, but for the few bytes around the addresses.
MOST_URLS = 50_000
MOST_BYTES = 50_000_000

_SITES = select(SITE.id, SITE.code, SITE.domain, SITE.main_page_id, SITE.page_404_id)
_FOLDERS = select(
    *(FOLDER.id, FOLDER.site_id, FOLDER.parent_id, FOLDER.code, FOLDER.index_page_id),
    and_(FOLDER.active, ~FOLDER.deleted).label("shown"),
).join(SITE.id.table, SITE.id == FOLDER.site_id)
_PAGES = (
    select(
        *(PAGE.id, PAGE.site_id, PAGE.folder_id, PAGE.code, PAGE.rule, PAGE.sitemap),
        *(PAGE.modified_at, PAGE.additional_fields),
    )
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(PAGE.active, PAGE.published, ~PAGE.deleted)
    .order_by(PAGE.site_id, PAGE.id)
)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"  # a name, no address

Listed = tuple[str, datetime]
"""A page's URL, and when it was last changed."""


def sitemaps(connection: Connection, domain: str, base: str) -> Mapping[str, str]:
    """Write what stands at `PATH` of a site's domain, by query string; the first one has none.

    Of `domain` "" it is all sites without one. More pages than one file may hold have several,
    listed in the first. Takes a few queries, whatever the number of pages.
    """
    files = [_urls(part) for part in _parts(list_pages(connection, domain, base))]
    if len(files) < 2:
        return {"": files[0] if files else _urls(())}
    queries = [f"part={number}" for number in range(1, len(files) + 1)]
    home = Address(domain or None, PATH).url(base)
    index = (f"<sitemap><loc>{home}?{query}</loc></sitemap>\n" for query in queries)
    return {"": _file("sitemapindex", index)} | dict(zip(queries, files, strict=True))


def list_pages(connection: Connection, domain: str, base: str) -> Iterator[Listed]:
    """List the pages of the active sites with that domain that their own URL leads to (P11)."""
    there = SITE.domain == domain if domain else SITE.domain.is_(None)
    wanted = (SITE.active, ~SITE.deleted, there)
    sites = {site.id: site for site in connection.execute(_SITES.where(*wanted))}
    folders = {folder.id: folder for folder in connection.execute(_FOLDERS.where(*wanted))}
    paths = {each: _path(folders, each) for each in folders if _is_shown(folders, each)}
    # A page is not to be seen where a folder, or a page made before it, has the address already.
    taken = {(row.site_id, row.parent_id, row.code) for row in folders.values() if row.shown}
    for page in connection.execute(_PAGES.where(*wanted)):
        site, folder = sites[page.site_id], folders.get(page.folder_id)
        own = (page.site_id, page.folder_id, page.code)
        led_to = not page.rule and own not in taken
        if led_to:
            taken.add(own)
        if page.id == site.main_page_id:
            path = ""
        elif page.id == site.page_404_id or (folder is not None and folder.id not in paths):
            continue
        elif folder is not None and folder.index_page_id == page.id:
            path = paths[folder.id]
        elif led_to and (page.folder_id is None or folder is not None):
            path = paths.get(page.folder_id, "") + _segment(page.code)
        else:
            continue
        if site.domain and path.partition("/")[0] in RESERVED:
            continue  # the service answers there itself
        if page.sitemap == "Y" and is_indexed(page.additional_fields):
            home = "/" if site.domain else f"/{_segment(site.code)}"
            yield Address(site.domain, home + path).url(base), page.modified_at


def _path(folders: Mapping[int, Any], folder_id: int) -> str:
    path = ""
    at: int | None = folder_id
    while at is not None:
        path = _segment(folders[at].code) + path
        at = folders[at].parent_id
    return path


def _is_shown(folders: Mapping[int, Any], folder_id: int | None) -> bool:
    """Tell whether visitors get into a folder: it and all around it are active."""
    while folder_id is not None:
        if not folders[folder_id].shown:
            return False
        folder_id = folders[folder_id].parent_id
    return True


def _segment(code: str) -> str:
    return f"{quote(code, safe='')}/"


def _parts(pages: Iterable[Listed]) -> Iterator[Sequence[str]]:
    """Write the pages, as many to a part as one file may hold."""
    part: list[str] = []
    size = 0
    for url, changed in pages:
        moment = changed.isoformat(timespec="seconds")
        line = f"<url><loc>{escape(url)}</loc><lastmod>{moment}</lastmod></url>\n"
        if part and (len(part) == MOST_URLS or size + len(line) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _urls(lines: Iterable[str]) -> str:
    return _file("urlset", lines)


def _file(root: str, lines: Iterable[str]) -> str:
    return f'{_HEAD}<{root} xmlns="{_SCHEMA}">\n{"".join(lines)}</{root}>\n'
