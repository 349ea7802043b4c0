"""Finds the page that visitors get at an address, or what they get where there is no page (P11)."""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from sqlalchemy import Connection, and_, bindparam, func, literal_column, select

from landyard import Prepared, one_of, spelt
from landyard_landing import languages, sites
from landyard_landing.tables import FOLDER, PAGE, SITE

_RULE_MEMORY = 1 << 20
_MOST_HOMES = 10
_SLASHES = re.compile(r"^/|(?<!\\)/$")  # the slashes around a rule, except an escaped one


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
    index_page_id: int | None


_SITES = select(*(SITE[name] for name in _Site.__struct_fields__))
_SITE_OF_HOST = Prepared(
    _SITES.where(one_of(SITE.domain, "hosts")).order_by(func.length(SITE.domain).desc()),
    _Site,
)
_SITE_OF_ID = Prepared(_SITES.where(SITE.id == bindparam("site_id")), _Site)
_SITE_CALLED = Prepared(_SITES.where(SITE.code == bindparam("code"), SITE.domain.is_(None)), _Site)
_FOLDER_CALLED = select(*(FOLDER[name] for name in _Folder.__struct_fields__)).where(
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
        at_home = sites.plain_host(host) == sites.plain_host(site.domain)
        return _page_below(connection, site, segments) if at_home else None
    of_base = urlsplit(base)
    if (sites.plain_host(host), port) != (sites.plain_host(of_base.hostname or ""), of_base.port):
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
        return None, languages.USUAL_LANGUAGE, 0
    return _shown(connection, site.page_404_id), site.language, site.id


def _site_at(connection: Connection, host: str, segments: list[str]) -> _Site | None:
    """Find a site by its domain, or by the first of `segments`, which is then removed."""
    # The port in a visitor's Host is that of the proxy or ours; few domains have one.
    site = _SITE_OF_HOST.first(connection, hosts=[host.lower(), sites.plain_host(host)])
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
