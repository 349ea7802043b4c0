"""`landyard.redirect.list`, `add` and `remove`: the old addresses of a site."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field
from sqlalchemy import and_, delete, func, insert, or_, select

from landyard import (
    Call,
    CallError,
    Example,
    MethodGroup,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
    read_page,
)
from landyard_landing import advisory_lock, errors, rights, sites
from landyard_redirects.resolution import path_of, segments_of
from landyard_redirects.tables import DOMAIN, OLD, PATH, SITE_CODE

redirects = MethodGroup(scope="landing")
_MOST = 1000  # redirects of a site that callers can add
_ID = Annotated[int, Meta(ge=1, le=2**53)]


class TooManyRedirects(CallError):
    code = "TOO_MANY_REDIRECTS"
    text = f"A site has at most {_MOST} redirects of its own; remove some first."


class OfSite(Struct, frozen=True):
    """`siteId`: a site's id; `start`: the offset of the first redirect to answer."""

    site_id: NeededId = field(name="siteId")
    start: int = 0


class Add(Struct, frozen=True):
    """`siteId`: a site's id; `from`: a path below the site's own address; `lid`: a page's id."""

    site_id: NeededId = field(name="siteId")
    path: Annotated[str, Meta(min_length=1, max_length=2000)] = field(name="from")
    page_id: NeededId = field(name="lid")


class Remove(Struct, frozen=True):
    """`siteId`: a site's id; `ids`: ids of redirects."""

    site_id: NeededId = field(name="siteId")
    ids: Annotated[list[_ID], Meta(min_length=1, max_length=1000)]


class Redirect(Struct, frozen=True, rename={"code": "from"}):
    """An old address: `from` is the former path or code, `target` the id of its page etc.

    `kind` is one of these: `path` is an added redirect, a whole path that leads to a page. `page`
    and `folder` are former codes in the folder `parent`, 0 for the site's root. `site` and `domain`
    are former codes and domains of the site.
    """

    id: int
    kind: str
    code: str
    parent: int
    target: int


@redirects.method(
    "landyard.redirect.list",
    right="settings",
    errors=[MissingParams, WrongType, errors.SiteNotFound, errors.AccessDenied],
    example=Example(
        {"siteId": 1},
        result=[{"id": 1, "kind": "path", "from": "old/page.html", "parent": 0, "target": 10}],
    ),
)
def list_redirects(call: Call, params: OfSite) -> Paged[Redirect]:
    """List the old addresses of a site that redirect visitors, the latest first.

    They are stored automatically when the address of a page, folder or site changes. At most 50 are
    answered; if more remain, the envelope carries `next` and `total`.
    """
    site = _require(call, params.site_id)
    query = select(OLD.id, OLD.kind, OLD.code, OLD.parent_id, OLD.target_id).where(_of(site.id))
    return read_page(call.connection, query.order_by(OLD.id.desc()), params.start, _redirect)


@redirects.method(
    "landyard.redirect.add",
    right="settings",
    writes=True,
    errors=[
        *(
            MissingParams,
            WrongType,
            errors.SiteNotFound,
            errors.LandingNotExist,
            errors.AccessDenied,
            TooManyRedirects,
        )
    ],
    example=Example({"siteId": 1, "from": "/old/page.html", "lid": 10}, result=1),
)
def add(call: Call, params: Add) -> int:
    """Redirect an unused address of a site to a page; answers the redirect's id.

    A query or fragment in the address is ignored. Another redirect of this address is removed.
    Visitors are redirected to the page's address at that time, unless the page is not public.
    """
    site = _require(call, params.site_id)
    rights.find_page(call, params.page_id, None, every_type=True)
    sites.lock_referenced_pages(call.connection, [params.page_id])
    page = rights.find_page(call, params.page_id, None, every_type=True)
    advisory_lock.acquire(call.connection, f"redirects.{site.id}")
    place = {"kind": PATH, "site_id": site.id, "parent_id": 0, "code": _path(params.path)}
    same = and_(*(OLD[name] == value for name, value in place.items()))
    call.connection.execute(delete(OLD.id.table).where(same))
    own = select(func.count()).where(OLD.kind == PATH, OLD.site_id == site.id)
    if call.connection.execute(own).scalar_one() >= _MOST:
        raise TooManyRedirects
    row = place | {"target_id": page.id}
    added = insert(OLD.id.table).values(**row).returning(OLD.id)
    return int(call.connection.execute(added).scalar_one())


@redirects.method(
    "landyard.redirect.remove",
    right="settings",
    writes=True,
    errors=[MissingParams, WrongType, errors.SiteNotFound, errors.AccessDenied],
    example=Example({"siteId": 1, "ids": [1, 2]}, result=0),
)
def remove(call: Call, params: Remove) -> int:
    """Remove old addresses of a site; answers the number removed."""
    site = _require(call, params.site_id)
    removed = delete(OLD.id.table).where(OLD.id.in_(params.ids), _of(site.id))
    return int(call.connection.execute(removed).rowcount)


def _require(call: Call, site_id: int) -> sites.ViewedSite:
    site = sites.find_site(call, site_id, None, every_type=True, trash=True)
    if site is None:
        raise errors.SiteNotFound
    site.require(rights.Right.SETTINGS)
    return site


def _of(site_id: int) -> Any:
    own = and_(OLD.kind.in_([SITE_CODE, DOMAIN]), OLD.target_id == site_id)
    return or_(OLD.site_id == site_id, own)


def _path(written: str) -> str:
    try:
        segments = segments_of(urlsplit(written).path)
    except ValueError:  # e.g. a bracket in the host that is no IPv6 address
        segments = None
    if not segments:
        raise WrongType.of("from", "a path below the site's address, such as /old/page.html")
    return path_of(segments)


def _redirect(row: Any) -> Redirect:
    return Redirect(row.id, row.kind, row.code, row.parent_id, row.target_id)
