"""Writes the public URL of a page, and finds the page at a public URL (P11)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from sqlalchemy import Connection, and_, bindparam, func, literal_column, select

from landyard import Call, Prepared, Settings, one_of, spelt
from landyard_landing.languages import USUAL_LANGUAGE
from landyard_landing.rights.pages import find_page_with, page_with
from landyard_landing.sites.hosts import OwnHost, Sections, own_hosts_of, plain_host
from landyard_landing.tables import FOLDER, PAGE, SITE

RESERVED = frozenset(
    {"rest", "files", "assets", "healthz", "readyz", "metrics", "openapi.json", "openrpc.json"}
    | {"robots.txt", "sitemap.xml", "favicon.ico", "oauth", "-"}
)
"""First segments of the service's own addresses: no site may have one as its code (P11)."""
_RULE_MEMORY = 1 << 20
_MOST_HOMES = 10
_SLASHES = re.compile(r"^/|(?<!\\)/$")  # the slashes around a rule, except an escaped one


class _Placed(Struct, frozen=True):
    folder_id: int | None
    code: str
    rule: str
    main_page_id: int | None
    domain: str | None
    site_code: str


class _Site(Struct, frozen=True):
    id: int
    active: bool
    deleted: bool
    main_page_id: int | None
    page_404_id: int | None
    domain: str | None
    code: str
    language: str

    @property
    def shown(self) -> bool:
        return self.active and not self.deleted


class _Folder(Struct, frozen=True):
    id: int
    parent_id: int | None
    code: str
    index_page_id: int | None


_COLUMNS = (PAGE.folder_id, PAGE.code, PAGE.rule, SITE.main_page_id, SITE.domain, SITE.code)
_FIND_PLACED = page_with(*_COLUMNS)
_PLACE_OF = Prepared(
    select(*_COLUMNS)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(PAGE.id == bindparam("page_id")),
    _Placed,
)
_SITES = select(*(SITE[name] for name in _Site.__struct_fields__))
_SITE_OF_HOST = Prepared(
    _SITES.where(one_of(SITE.domain, "hosts")).order_by(func.length(SITE.domain).desc()), _Site
)
_SITE_OF_ID = Prepared(_SITES.where(SITE.id == bindparam("site_id")), _Site)
_SITE_CALLED = Prepared(_SITES.where(SITE.code == bindparam("code"), SITE.domain.is_(None)), _Site)
_FOLDERS = select(*(FOLDER[name] for name in _Folder.__struct_fields__))
_FOLDER = Prepared(_FOLDERS.where(FOLDER.id == bindparam("folder_id")), _Folder)
_FOLDER_CALLED = _FOLDERS.where(
    FOLDER.site_id == bindparam("site_id"),
    FOLDER.code == bindparam("code"),
    FOLDER.active,
    ~FOLDER.deleted,
)
# Two statements: PostgreSQL uses no index for a condition in which NULL may equal NULL.
_INSIDE = Prepared(_FOLDER_CALLED.where(FOLDER.parent_id == bindparam("parent_id")), _Folder)
_AT_ROOT = Prepared(_FOLDER_CALLED.where(FOLDER.parent_id.is_(None)), _Folder)
_SHOWN = and_(PAGE.active, PAGE.published, ~PAGE.deleted)
_IS_SHOWN = Prepared(select(PAGE.id).where(PAGE.id == bindparam("page_id"), _SHOWN), int)
_PAGES = select(PAGE.id, PAGE.rule).where(PAGE.site_id == bindparam("site_id"), _SHOWN)
_CALLED = _PAGES.where(PAGE.code == bindparam("code"), PAGE.rule == "").order_by(PAGE.id).limit(1)
# A literal and no parameter, so that the planner recognises the partial index of pages with rules.
_RULED = _PAGES.where(PAGE.rule != literal_column("''")).order_by(PAGE.id)
_IN_FOLDER = PAGE.folder_id == bindparam("folder_id")
_IN_NONE = PAGE.folder_id.is_(None)
_PAGES_IN_FOLDER = (Prepared(_CALLED.where(_IN_FOLDER)), Prepared(_RULED.where(_IN_FOLDER)))
_PAGES_AT_ROOT = (Prepared(_CALLED.where(_IN_NONE)), Prepared(_RULED.where(_IN_NONE)))
_HOME = (
    select(SITE.title, SITE.code, (SITE.code == bindparam("code")).label("is_own"))
    .join(PAGE.id.table, PAGE.id == SITE.main_page_id)
    .where(SITE.active, ~SITE.deleted, _SHOWN)
    .order_by((SITE.code == bindparam("code")).desc(), SITE.id)
    .limit(_MOST_HOMES)
)
_HOMES_OF_DOMAIN = Prepared(_HOME.where(SITE.domain == bindparam("domain")))
_HOMES = Prepared(_HOME.where(SITE.domain.is_(None)))
_DOMAINS = Prepared(select(SITE.domain).where(SITE.domain.is_not(None)))


class Address(Struct, frozen=True):
    """A page's address: its site's domain, if any, and the path, which else starts with its code.

    The path is percent-encoded; `page_at` reads it back, whatever characters the codes have.
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
    """Return a page's address; None where there is no such page."""
    placed = _PLACE_OF.first(connection, page_id=page_id)
    return None if placed is None else _address(connection, page_id, placed)


def find_address(call: Call, page_id: int, scope: str | None) -> Address:
    """Find a page as `find_page` does, and return its address."""
    page, placed = find_page_with(call, _FIND_PLACED, page_id, scope)
    return _address(call.connection, page.id, _Placed(*placed))


def _address(connection: Connection, page_id: int, placed: _Placed) -> Address:
    is_main = page_id == placed.main_page_id
    folders = [] if is_main else _folders_above(connection, placed.folder_id)
    is_index = bool(folders) and folders[-1].index_page_id == page_id
    codes = [folder.code for folder in folders]
    if placed.domain is None:
        codes.insert(0, placed.site_code)
    if not (is_main or is_index or placed.rule):
        codes.append(placed.code)
    return Address(placed.domain, "/" + "".join(f"{quote(code, safe='')}/" for code in codes))


def page_at(connection: Connection, host: str, path: str) -> int | None:
    """Find the id of the page that visitors see at a percent-encoded `path`, or None."""
    segments = _segments(path)
    site = None if segments is None else _site_at(connection, host, segments)
    return _page_below(connection, site, segments)


def page_of(connection: Connection, site_id: int, address: str, base: str) -> int | None:
    """Find the id of the page that visitors see at an address of one site, or None.

    The address is a URL, the path of a URL, or a percent-encoded path from the site's own root;
    query and fragment are ignored.
    """
    try:
        parts = urlsplit(spelt(address).strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a malformed IPv6 address in brackets, or a port that is no number
        return None
    site = _SITE_OF_ID.first(connection, site_id=site_id)
    segments = _segments(parts.path or "/")
    if site is None or segments is None:
        return None
    if not parts.netloc:
        found = _page_below(connection, site, segments)
        return found or _page_below(connection, site, _below_code(site, segments))
    if site.domain is not None:
        at_home = plain_host(host) == plain_host(site.domain)
        return _page_below(connection, site, segments) if at_home else None
    of_base = urlsplit(base)
    if (plain_host(host), port) != (plain_host(of_base.hostname or ""), of_base.port):
        return None
    return _page_below(connection, site, _below_code(site, segments))


def _below_code(site: _Site, segments: list[str]) -> list[str] | None:
    """Remove the site's code from the segments; None where they do not begin with it.

    Addresses of a site with a domain have no code: None for such a site as well.
    """
    return segments[1:] if site.domain is None and segments[:1] == [site.code] else None


def _segments(path: str) -> list[str] | None:
    """Split a path, then decode its segments, so that `%2F` does not divide segments."""
    segments = [spelt(unquote(each)) for each in path.strip("/").split("/")] if path != "/" else []
    return None if any(not segment or "\0" in segment for segment in segments) else segments


def _first(path: str) -> str:
    return spelt(unquote(path.strip("/").partition("/")[0])).replace("\0", "")


def _page_below(
    connection: Connection, site: _Site | None, segments: list[str] | None
) -> int | None:
    if site is None or not site.shown or segments is None:
        return None
    folder, rest = _descend(connection, site.id, segments)
    if not rest:
        return _shown(connection, site.main_page_id if folder is None else folder.index_page_id)
    folder_id = None if folder is None else folder.id
    return _page_called(connection, site.id, folder_id, rest)


def lost_page(connection: Connection, host: str, path: str) -> tuple[int | None, str, int]:
    """Find a site's page for error 404, if it has one, the site's language, and its id or 0."""
    segments = [_first(path)]
    site = _site_at(connection, host, segments)
    if site is None or not site.shown:
        return None, USUAL_LANGUAGE, 0
    return _shown(connection, site.page_404_id), site.language, site.id


def _site_at(connection: Connection, host: str, segments: list[str]) -> _Site | None:
    """Find a site by its domain, or by the first of `segments`, which is then removed."""
    # The port in a visitor's Host is that of the proxy or ours; few domains have one.
    site = _SITE_OF_HOST.first(connection, hosts=[host.lower(), plain_host(host)])
    if site is None and segments:
        site = _SITE_CALLED.first(connection, code=segments.pop(0))
    return site


def homes(connection: Connection, domain: str, path: str) -> list[tuple[str, str]]:
    """List title and path of the home page of the site that contains a path.

    Where no site does, list the home pages of the first ten sites with this `domain`; "" stands for
    sites without a domain.
    """
    first = _first(path)
    if domain:
        main = _HOMES_OF_DOMAIN.all(connection, domain=domain, code=first)
    else:
        main = _HOMES.all(connection, code=first)
    shown = main[:1] if main and main[0][2] else main
    return [
        (title or code, "/" if domain else f"/{quote(code, safe='')}/") for title, code, _ in shown
    ]


def own_hosts_with(
    connection: Connection,
    sections: Sections,
    records: Callable[[type[Any]], Mapping[str, Any]],
) -> frozenset[str]:
    """Collect the same hosts as `own_hosts`, without a call."""
    base = urlsplit(sections(Settings).base).netloc
    own = own_hosts_of(sections, records(OwnHost).values())
    domains = [domain for (domain,) in _DOMAINS.all(connection)]
    return frozenset({base.lower(), *own.names, *domains} - {""})


def _descend(
    connection: Connection, site_id: int, segments: Sequence[str]
) -> tuple[_Folder | None, list[str]]:
    """Walk down the folders that the segments name; return the last folder and the rest.

    A folder wins over a page of the same code.
    """
    folder = None
    rest = list(segments)
    while rest:
        called = {"site_id": site_id, "code": rest[0]}
        if folder is None:
            found = _AT_ROOT.first(connection, **called)
        else:
            found = _INSIDE.first(connection, **called, parent_id=folder.id)
        if found is None:
            break
        folder = found
        rest.pop(0)
    return folder, rest


def _page_called(
    connection: Connection, site_id: int, folder_id: int | None, rest: Sequence[str]
) -> int | None:
    called, ruled = _PAGES_AT_ROOT if folder_id is None else _PAGES_IN_FOLDER
    place = {"site_id": site_id} | ({"folder_id": folder_id} if folder_id else {})
    if len(rest) == 1 and (found := called.first(connection, **place, code=rest[0])):
        return int(found[0])
    below = "/".join(rest)
    pages = ruled.all(connection, **place)
    return next((page_id for page_id, rule in pages if _matches(rule, below)), None)


def _matches(rule: str, below: str) -> bool:
    """Match a page's rule in linear time; a rule that the matcher refuses never matches."""
    import re2  # imported here: few pages have rules

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _RULE_MEMORY
    try:
        return re2.compile(_SLASHES.sub("", spelt(rule)), options).fullmatch(below) is not None
    except re2.error:
        return False


def _shown(connection: Connection, page_id: int | None) -> int | None:
    if page_id is None:
        return None
    return _IS_SHOWN.first(connection, page_id=page_id)


def _folders_above(connection: Connection, folder_id: int | None) -> list[_Folder]:
    folders: list[_Folder] = []
    while folder_id is not None:
        folder = _FOLDER.first(connection, folder_id=folder_id)
        assert folder is not None
        folders.insert(0, folder)
        folder_id = folder.parent_id
    return folders
