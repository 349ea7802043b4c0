"""`landing.landing.resolveIdByPublicUrl`: the page at a public URL (P11)."""

from msgspec import Struct, field

from landyard import Call, Example, Id, MissingParams, Settings, SystemFailure, WrongType
from landyard_landing import errors, rights, sites
from landyard_pages.group import page_methods
from landyard_public.page_lookup import page_of


class ResolveIdByPublicUrl(Struct, frozen=True):
    """`landingUrl`: a public URL, or its path from the site's root; `siteId`: a site's id."""

    url: str = field(name="landingUrl")
    site_id: Id = field(name="siteId")
    scope: str | None = None


@page_methods.method(
    "landing.landing.resolveIdByPublicUrl",
    right="access to sites",
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"landingUrl": "/boats/", "siteId": 1}, result=11),
)
def resolve_id_by_public_url(call: Call, params: ResolveIdByPublicUrl) -> int | None:
    """Find the page of a site at a public URL, and answer its id, or null.

    It finds the addresses that `landing.landing.getpublicurl` answers, for active pages of active
    sites. On a site that the caller may not view nothing is found. Needs access to sites.
    """
    call.subject = f"site:{params.site_id}"
    rights.require_access(call)
    site = sites.find_site(call, params.site_id, params.scope)
    if site is None:
        return None
    return page_of(call.connection, site.id, params.url, call.settings(Settings).base)
