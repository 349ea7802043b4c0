"""`landing.template.get…Ref` and `set…Ref`: the pages in areas of a site's or page's frame."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, ParamsReader
from landyard_landing import arguments, errors, events, rights, sites
from landyard_sites.layouts.areas import Owner, areas_of, replace_areas
from landyard_sites.layouts.group import EntityNotFound, layouts

_ERRORS = (MissingParams, EntityNotFound, errors.AccessDenied)
_MOST_AREAS = 100


class OfSite(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")


class OfPage(Struct, frozen=True):
    """`id`: a page's id."""

    page_id: NeededId = field(name="id")


class SetSiteRef(Struct, frozen=True):
    """`id`: a site's id; `data`: ids of pages by the numbers of areas."""

    site_id: NeededId = field(name="id")
    data: arguments.AnyMap = None


class SetLandingRef(Struct, frozen=True):
    """`id`: a page's id; `data`: ids of pages by the numbers of areas."""

    page_id: NeededId = field(name="id")
    data: arguments.AnyMap = None


class _Value(Struct, frozen=True):
    page_id: Id = 0


_read_value = ParamsReader(_Value, lenient=True)


@layouts.method(
    "landing.template.getSiteRef",
    right="view",
    errors=_ERRORS,
    example=Example({"id": 1}, result=True),
)
def get_site_ref(call: Call, params: OfSite) -> dict[str, int] | bool:
    """Answer the pages in the areas of a site's frame, by area.

    The answer is true if there are none. Needs the right to view.
    """
    site = _site(call, params.site_id, rights.Right.VIEW)
    return _areas(call, Owner(site_id=site.id))


@layouts.method(
    "landing.template.getLandingRef",
    right="view",
    errors=_ERRORS,
    example=Example({"id": 10}, result=True),
)
def get_landing_ref(call: Call, params: OfPage) -> dict[str, int] | bool:
    """Answer the pages in the areas of a page's own frame, by area.

    The answer is true if there are none; landing.template.getSiteRef answers those of its site.
    Needs the right to view.
    """
    page = _page(call, params.page_id, rights.Right.VIEW)
    return _areas(call, Owner(page_id=page.id))


@layouts.method(
    "landing.template.setSiteRef",
    right="settings",
    writes=True,
    errors=_ERRORS,
    example=Example({"id": 1, "data": {"1": 11, "2": 12}}, result=True),
)
def set_site_ref(call: Call, params: SetSiteRef) -> bool:
    """Set the pages in the areas of a site's frame.

    The frame is the site's `TPL_ID`, from landing.template.getlist; its areas are numbered. Areas
    without a page in `data` become empty; without `data` all do. In an area, visitors see the
    published version of its page. A page in an area has no frame itself, and cannot be moved to the
    trash. Needs the right to change settings.
    """
    areas = _read_areas(params.data)
    site = _site(call, params.site_id, rights.Right.SETTINGS)
    replace_areas(call, Owner(site_id=site.id), site.id, areas)
    events.announce_site(call, "changed", site.id)
    return True


@layouts.method(
    "landing.template.setLandingRef",
    right="settings",
    writes=True,
    errors=_ERRORS,
    example=Example({"id": 10, "data": {"1": 11, "2": 12}}, result=True),
)
def set_landing_ref(call: Call, params: SetLandingRef) -> bool:
    """Set the pages of the same site in the areas of a page's own frame.

    The frame is the page's `TPL_ID`; a page without one has its site's frame and areas. Otherwise
    as in landing.template.setSiteRef.
    """
    areas = _read_areas(params.data)
    page = _page(call, params.page_id, rights.Right.SETTINGS)
    replace_areas(call, Owner(page_id=page.id), page.site_id, areas)
    events.announce_pages(call, "changed", [page.id])
    return True


def _site(call: Call, site_id: int, right: rights.Right) -> sites.ViewedSite:
    rights.require_access(call)
    call.subject = f"site:{site_id}"
    site = sites.find_site(call, site_id, None, every_type=True)
    if site is None:
        raise EntityNotFound
    site.require(right)
    return site


def _page(call: Call, page_id: int, right: rights.Right) -> rights.ViewedPage:
    try:
        page = rights.find_page(call, page_id, None, every_type=True)
    except errors.LandingNotExist:
        raise EntityNotFound from None
    page.require(right)
    return page


def _areas(call: Call, owner: Owner) -> dict[str, int] | bool:
    areas = areas_of(call.connection, owner)
    return {str(number): page_id for number, page_id in areas.items()} or True


def _read_areas(data: Any) -> dict[int, int]:
    """Return page ids by area; an area with an invalid id stays empty."""
    if isinstance(data, list):
        data = {str(number): value for number, value in enumerate(data)}
    if data is None:
        return {}
    if not isinstance(data, dict) or len(data) > _MOST_AREAS:
        raise MissingParams.named(["data"])  # unusable data counts as missing (C9)
    numbers = {int(key): value for key, value in data.items() if key.isdecimal() and len(key) < 4}
    page_ids = {
        key: _read_value({"page_id": value}).page_id for key, value in numbers.items() if key
    }
    return {number: page_id for number, page_id in page_ids.items() if page_id}
