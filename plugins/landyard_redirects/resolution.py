"""Resolves an old address to the present address of its page."""

from unicodedata import normalize
from urllib.parse import quote, unquote

from sqlalchemy import Connection, bindparam, select

from landyard import Prepared, one_of, spellings, spelt
from landyard_landing import sites, tables
from landyard_public.forwarding import Lost
from landyard_public.page_lookup import page_of
from landyard_redirects.tables import DOMAIN, FOLDER_CODE, OLD, PAGE_CODE, PATH, SITE_CODE

_DEEPEST = 20  # segments of a path
_LONGEST = 2000  # characters of it

_SITE_OF_DOMAIN = Prepared(
    select(tables.SITE.id).where(tables.SITE.domain == bindparam("code")), int
)
_SITE_CALLED = Prepared(
    select(tables.SITE.id).where(
        tables.SITE.code == bindparam("code"), tables.SITE.domain.is_(None)
    ),
    int,
)
_MAIN = Prepared(
    select(tables.SITE.main_page_id).where(
        tables.SITE.id == bindparam("site_id"), tables.SITE.main_page_id.is_not(None)
    ),
    int,
)
_FOLDERS = select(tables.FOLDER.id).where(
    tables.FOLDER.site_id == bindparam("site_id"),
    tables.FOLDER.code == bindparam("code"),
    ~tables.FOLDER.deleted,
)
_INSIDE = Prepared(_FOLDERS.where(tables.FOLDER.parent_id == bindparam("parent_id")), int)
_AT_ROOT = Prepared(_FOLDERS.where(tables.FOLDER.parent_id.is_(None)), int)
_INDEX = Prepared(
    select(tables.FOLDER.index_page_id).where(
        tables.FOLDER.id == bindparam("folder_id"), tables.FOLDER.index_page_id.is_not(None)
    ),
    int,
)
_PAGES = (
    select(tables.PAGE.id)
    .where(
        tables.PAGE.site_id == bindparam("site_id"),
        tables.PAGE.code == bindparam("code"),
        ~tables.PAGE.deleted,
    )
    .order_by(tables.PAGE.id)
    .limit(1)
)
_PAGE_INSIDE = Prepared(_PAGES.where(tables.PAGE.folder_id == bindparam("parent_id")), int)
_PAGE_AT_ROOT = Prepared(_PAGES.where(tables.PAGE.folder_id.is_(None)), int)
_FORMER = Prepared(
    select(OLD.target_id)
    .where(
        OLD.kind == bindparam("kind"),
        OLD.site_id == bindparam("site_id"),
        OLD.parent_id == bindparam("parent_id"),
        one_of(OLD.code, "codes"),
    )
    .order_by(OLD.id.desc())
    .limit(1),
    int,
)
# Most unknown addresses never existed; a single query finds that out.
_ANY_FORMER = Prepared(select(OLD.id).where(one_of(OLD.code, "codes")).limit(1), int)
_SITE_OF_PAGE = Prepared(
    select(tables.PAGE.site_id).where(tables.PAGE.id == bindparam("page_id")), int
)


def follow(connection: Connection, lost: Lost) -> str:
    """Return the present address of the page formerly at an address; "" if there is none.

    At each step of the path a present code takes precedence, then the latest former one.
    """
    segments = segments_of(lost.path)
    if segments is None or not _was_anything(connection, lost, segments):
        return ""
    site_id, moved = _site(connection, lost, segments)
    page_id = None if site_id is None else _page(connection, site_id, segments)
    address = None if page_id is None else sites.address_of(connection, page_id)
    if page_id is None or address is None:
        return ""
    url = address.url(lost.base)
    home = _SITE_OF_PAGE.first(connection, page_id=page_id)
    if home is None or page_of(connection, home, url, lost.base) != page_id:
        return ""
    return address.path if (address.domain or "") == lost.domain and not moved else url


def segments_of(path: str) -> list[str] | None:
    """Return the decoded segments of a path; None if the path is invalid."""
    bare = path.strip("/")
    if len(bare) > _LONGEST:
        return None
    segments = [spelt(unquote(each)) for each in bare.split("/")] if bare else []
    wrong = len(segments) > _DEEPEST or any(not each or "\0" in each for each in segments)
    return None if wrong else segments


def path_of(segments: list[str]) -> str:
    """Return the canonical form of a path below a site's address."""
    return "/".join(quote(each, safe="") for each in segments)


def _was_anything(connection: Connection, lost: Lost, segments: list[str]) -> bool:
    """Tell whether any part of an address is a former code or path at all."""
    paths = [*_paths(segments), *_paths(segments[1:])]
    steps = (it for each in segments for it in spellings(each))
    codes = {*_hosts(lost), *paths, *steps}
    return _ANY_FORMER.first(connection, codes=sorted(codes)) is not None


def _hosts(lost: Lost) -> list[str]:
    """Return the domains that a visitor's Host may mean, with and without its port."""
    return [lost.host.lower(), sites.plain_host(lost.host)] if lost.host else []


def _site(connection: Connection, lost: Lost, segments: list[str]) -> tuple[int | None, bool]:
    """Return the present or former site of an address, and whether it was its former domain.

    A site's code at the start of the path is removed from `segments`.
    """
    if lost.domain:
        return _SITE_OF_DOMAIN.first(connection, code=lost.domain), False
    for name in _hosts(lost):
        if (former := _former(connection, DOMAIN, name)) is not None:
            return former, True
    if not segments:
        return None, False
    code = segments.pop(0)
    site_id = _SITE_CALLED.first(connection, code=code) or _former(connection, SITE_CODE, code)
    return site_id, False


def _page(connection: Connection, site_id: int, segments: list[str]) -> int | None:
    if not segments:
        return _MAIN.first(connection, site_id=site_id)
    for path in _paths(segments):
        if (page_id := _former(connection, PATH, path, site_id)) is not None:
            return page_id
    folder_id = 0
    for number, code in enumerate(segments):
        inside: dict[str, str | int] = {"site_id": site_id, "code": code}
        if folder_id:
            inside["parent_id"] = folder_id
        folder = (_INSIDE if folder_id else _AT_ROOT).first(connection, **inside)
        page = (_PAGE_INSIDE if folder_id else _PAGE_AT_ROOT).first(connection, **inside)
        is_last = number == len(segments) - 1
        if folder is None and is_last:
            was = _former(connection, PAGE_CODE, code, site_id, folder_id)
            if page is not None or was is not None:
                return page or was
        folder = folder or _former(connection, FOLDER_CODE, code, site_id, folder_id)
        if folder is None:
            return None
        folder_id = folder
    return _INDEX.first(connection, folder_id=folder_id)


def _former(
    connection: Connection, kind: str, code: str, site_id: int = 0, parent_id: int = 0
) -> int | None:
    codes = [code] if kind in {PATH, DOMAIN} else spellings(code)
    return _FORMER.first(connection, kind=kind, site_id=site_id, parent_id=parent_id, codes=codes)


def _paths(segments: list[str]) -> list[str]:
    """Return the Unicode forms in which older versions may have stored a path."""
    decomposed = [normalize("NFD", each) for each in segments]
    return sorted({path_of(segments), path_of(decomposed)})
