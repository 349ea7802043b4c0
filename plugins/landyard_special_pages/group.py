"""What the methods of special pages share: their group, and how the site is found."""

from landyard import Call, MethodGroup
from landyard_landing import AccessDenied, Right, SeenSite, find_site

special_pages = MethodGroup(scope="landing")

TYPES = frozenset(
    {"mainpage", "catalog", "personal", "cart", "order", "payment", "compare", "feedback"}
)
"""What a site may have a special page for."""
WRONG_TYPE = f"Parameter 'type' must be one of {', '.join(sorted(TYPES))}."
"""The text of a refusal of any other type."""


def require_site(call: Call, site_id: int, right: Right) -> SeenSite:
    """Find a site of any type on which the caller has `right`; raises `AccessDenied`."""
    call.subject = f"site:{site_id}"
    site = find_site(call, site_id, None, every_type=True)
    if site is None:
        raise AccessDenied("Site not found or access to it is denied.")
    site.require(right)
    return site
