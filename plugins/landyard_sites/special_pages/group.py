"""The method group of special pages, their types, and the look-up of their site."""

from landyard import Call, MethodGroup
from landyard_landing import errors, rights, sites

special_pages = MethodGroup(scope="landing")

TYPES = frozenset(
    {"mainpage", "catalog", "personal", "cart", "order", "payment", "compare", "feedback"}
)
"""The types of special pages."""
WRONG_TYPE = f"Parameter 'type' must be one of {', '.join(sorted(TYPES))}."
"""The error text for any other type."""


def require_site(call: Call, site_id: int, right: rights.Right) -> sites.ViewedSite:
    """Return a site of any type on which the caller has `right`; raises `AccessDenied`."""
    call.subject = f"site:{site_id}"
    site = sites.find_site(call, site_id, None, every_type=True)
    if site is None:
        raise errors.AccessDenied("Site not found or access to it is denied.")
    site.require(right)
    return site
