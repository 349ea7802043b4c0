"""`landing.syspage.deleteForSite` and `deleteForLanding`: end the role of special pages."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors, events, rights
from landyard_sites.special_pages.group import require_site, special_pages
from landyard_sites.special_pages.pages import forget_page, forget_site


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
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"id": 1}, result=True),
)
def delete_for_site(call: Call, params: DeleteForSite) -> bool:
    """Remove all special pages of a site; the pages stay. Needs the right to settings."""
    site = require_site(call, params.site_id, rights.Right.SETTINGS)
    forget_site(call.connection, site.id)
    events.announce_site(call, "changed", site.id)
    return True


@special_pages.method(
    "landing.syspage.deleteForLanding",
    right="settings",
    writes=True,
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"id": 11}, result=True),
)
def delete_for_landing(call: Call, params: DeleteForLanding) -> bool:
    """End a page's role as a special page of its site; the page itself stays.

    Needs the right to change settings.
    """
    try:
        page = rights.find_page(call, params.page_id, params.scope, trash=True)
    except errors.LandingNotExist:
        raise errors.AccessDenied from None
    page.require(rights.Right.SETTINGS)
    forget_page(call.connection, page.id)
    events.announce_site(call, "changed", page.site_id)
    return True
