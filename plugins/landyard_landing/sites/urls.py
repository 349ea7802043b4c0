"""Public URLs of pages, and the pages behind public URLs (P11)."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from sqlalchemy import Connection, func, select

from landyard import Call, Settings
from landyard_landing.tables import FOLDER, PAGE, SITE

RESERVED = frozenset(
    {"rest", "files", "assets", "healthz", "readyz", "metrics", "openapi.json", "openrpc.json"}
    | {"robots.txt", "sitemap.xml", "favicon.ico", "-"}
)
"""First segments of the service's own addresses: no site may have one as its code (P11)."""
_RULE_MEMORY = 1 << 20
_MOST_HOMES = 10
_SLASHES = re.compile(r"^/|(?<!\\)/$")  # those around a rule, but not an escaped one
_SHOWN = (PAGE.active, PAGE.published, ~PAGE.deleted)
_DOMAINS = select(SITE.domain).where(SITE.domain.is_not(None))


class Address(Struct, frozen=True):
    """Where a page is: its site's domain or, without one, its site's code; then the path.

    The path is percent-encoded: `page_at` reads it back, whatever the codes hold.
    """

    domain: str | None
    path: str

    def url(self, base: str) -> str:
        """Write the whole URL; a site with a domain takes the scheme of `base`."""
        if self.domain is None:
            return f"{base}{self.path}"
        scheme = base.partition("://")[0]
        return f"{scheme}://{self.domain}{self.path}"


def address_of(connection: Connection, page_id: int) -> Address | None:
    """Say where a page is, or None when there is no such page."""
    page = connection.execute(
        select(*PAGE, SITE.domain, SITE.code.label("site_code"), SITE.main_page_id)
        .join(SITE.id.table, SITE.id == PAGE.site_id)
        .where(PAGE.id == page_id)
    ).first()
    if page is None:
        return None
    folders = _folders_above(connection, page.folder_id)
    is_index = bool(folders) and folders[-1].index_page_id == page.id
    bare = page.id == page.main_page_id or is_index or bool(page.rule)
    codes = [] if page.id == page.main_page_id else [folder.code for folder in folders]
    if page.domain is None:
        codes.insert(0, page.site_code)
    if not bare:
        codes.append(page.code)
    return Address(page.domain, "/" + "".join(f"{quote(code, safe='')}/" for code in codes))


def page_at(connection: Connection, host: str, path: str) -> int | None:
    """Find the id of the page that visitors see at a percent-encoded `path`, or None."""
    # Split first, decode then: `%2F` is no way to write a second address of a page.
    segments = [unquote(segment) for segment in path.strip("/").split("/")] if path != "/" else []
    if any(not segment or "\0" in segment for segment in segments):
        return None
    # A domain is a bare host; the port that a visitor's Host carries is that of the proxy or ours.
    hosts = {host.lower(), host.lower().partition(":")[0]}
    site = connection.execute(
        select(*SITE).where(SITE.domain.in_(hosts)).order_by(func.length(SITE.domain).desc())
    ).first()
    if site is None:
        if not segments:
            return None
        code = segments.pop(0)
        site = connection.execute(
            select(*SITE).where(SITE.code == code, SITE.domain.is_(None))
        ).first()
    if site is None or not site.active:
        return None
    folder, rest = _descend(connection, site.id, segments)
    if not rest:
        return _shown(connection, site.main_page_id if folder is None else folder.index_page_id)
    folder_id = None if folder is None else folder.id
    return _page_called(connection, site.id, folder_id, rest)


def homes(connection: Connection, domain: str, path: str) -> list[tuple[str, str]]:
    """List title and path of the home page of the site that a path is below.

    Where there is none: of the first sites with that `domain`; "" stands for those without one.
    """
    first = unquote(path.strip("/").partition("/")[0]).replace("\0", "")
    own = SITE.domain == domain if domain else SITE.domain.is_(None)
    main = connection.execute(
        select(SITE.title, SITE.code, (SITE.code == first).label("is_own"))
        .join(PAGE.id.table, PAGE.id == SITE.main_page_id)
        .where(SITE.active, own, *_SHOWN)
        .order_by((SITE.code == first).desc(), SITE.id)
        .limit(_MOST_HOMES)
    ).all()
    shown = main[:1] if main and main[0].is_own else main
    return [
        (site.title or site.code, "/" if domain else f"/{quote(site.code, safe='')}/")
        for site in shown
    ]


def own_hosts(call: Call) -> frozenset[str]:
    """Collect the hosts that this service answers for: its base's and its sites' domains."""
    base = urlsplit(call.settings(Settings).base).netloc
    domains = call.connection.execute(_DOMAINS)
    return frozenset({base.lower(), *domains.scalars()} - {""})


def _descend(
    connection: Connection, site_id: int, segments: Sequence[str]
) -> tuple[Any, list[str]]:
    """Walk down the folders as far as the segments name any; a folder wins over a page."""
    folder = None
    rest = list(segments)
    while rest:
        parent = FOLDER.parent_id.is_(None) if folder is None else FOLDER.parent_id == folder.id
        found = connection.execute(
            select(*FOLDER).where(FOLDER.site_id == site_id, parent, FOLDER.code == rest[0])
        ).first()
        if found is None:
            break
        folder = found
        rest.pop(0)
    return folder, rest


def _page_called(
    connection: Connection, site_id: int, folder_id: int | None, rest: Sequence[str]
) -> int | None:
    inside = PAGE.folder_id.is_(None) if folder_id is None else PAGE.folder_id == folder_id
    shown = (PAGE.site_id == site_id, inside, *_SHOWN)
    if len(rest) == 1:
        query = select(PAGE.id).where(*shown, PAGE.code == rest[0], PAGE.rule == "")
        found = connection.execute(query.order_by(PAGE.id).limit(1)).scalar()
        if found is not None:
            return int(found)
    ruled = select(PAGE.id, PAGE.rule).where(*shown, PAGE.rule != "").order_by(PAGE.id)
    below = "/".join(rest)
    return next((row.id for row in connection.execute(ruled) if _matches(row.rule, below)), None)


def _matches(rule: str, below: str) -> bool:
    """Match in linear time; a rule that the matcher cannot take never matches."""
    import re2  # few pages have rules

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _RULE_MEMORY
    try:
        return re2.compile(_SLASHES.sub("", rule), options).fullmatch(below) is not None
    except re2.error:
        return False


def _shown(connection: Connection, page_id: int | None) -> int | None:
    if page_id is None:
        return None
    found = connection.execute(select(PAGE.id).where(PAGE.id == page_id, *_SHOWN)).scalar()
    return None if found is None else int(found)


def _folders_above(connection: Connection, folder_id: int | None) -> list[Any]:
    folders: list[Any] = []
    while folder_id is not None:
        row = connection.execute(select(*FOLDER).where(FOLDER.id == folder_id)).one()
        folders.insert(0, row)
        folder_id = row.parent_id
    return folders
