"""`landing.syspage.deleteForSite` and `deleteForLanding`: end the role of special pages."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import (
    AccessDenied,
    LandingNotExist,
    Right,
    SiteChanged,
    announce_site,
    find_page,
)
from landyard_special_pages.group import require_site, special_pages
from landyard_special_pages.pages import forget_page, forget_site


class DeleteForSite(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")


class DeleteForLanding(Struct, frozen=True):
    """`id`: a page's id."""

    page_id: NeededId = field(name="id")
    scope: str | None = None


@special_pages.method(
    "landing.syspage.deleteForSite",
    right="settings",
    writes=True,
    errors=[MissingParams, AccessDenied],
    example=Example({"id": 1}, result=True),
)
def delete_for_site(call: Call, params: DeleteForSite) -> bool:
    """Remove all special pages of a site; the pages stay. Needs the right to settings."""
    site = require_site(call, params.site_id, Right.SETTINGS)
    forget_site(call.connection, site.id)
    announce_site(call, SiteChanged, site.id)
    return True


@special_pages.method(
    "landing.syspage.deleteForLanding",
    right="settings",
    writes=True,
    errors=[MissingParams, AccessDenied],
    example=Example({"id": 11}, result=True),
)
def delete_for_landing(call: Call, params: DeleteForLanding) -> bool:
    """End a page's role as a special page of its site; the page itself stays.

    Needs the right to change settings.
    """
    try:
        page = find_page(call, params.page_id, params.scope, trash=True)
    except LandingNotExist:
        raise AccessDenied from None
    page.require(Right.SETTINGS)
    forget_page(call.connection, page.id)
    announce_site(call, SiteChanged, page.site_id)
    return True
