"""`landing.site.getPreview`: the address of a site's preview picture."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import AccessDenied, Right
from landyard_sites.addresses import pictures
from landyard_sites.group import sites
from landyard_sites.places.sites import require_site


class GetPreview(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@sites.method(
    "landing.site.getPreview",
    right="view",
    errors=[MissingParams, AccessDenied],
    example=Example({"id": 1}, result="http://127.0.0.1:8000/assets/pictures/print_harbour.svg"),
)
def get_preview(call: Call, params: GetPreview) -> str:
    """Return the address of a site's preview picture: its main page's, else a default one."""
    site = require_site(call, params.site_id, params.scope, Right.VIEW)
    return pictures(call, [site.id])[site.id]
