"""`landing.site.getPreview`: the address of a site's preview picture."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors, rights
from landyard_sites.addresses import pictures
from landyard_sites.group import site_methods
from landyard_sites.places.sites import require_site


class GetPreview(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.getPreview",
    right="view",
    errors=[MissingParams, errors.AccessDenied],
    example=Example({"id": 1}, result="http://127.0.0.1:8000/assets/pictures/print_harbour.svg"),
)
def get_preview(call: Call, params: GetPreview) -> str:
    """Return the address of a site's preview picture: its main page's, else a default one."""
    site = require_site(call, params.site_id, params.scope, rights.Right.VIEW)
    return pictures(call, [site.id])[site.id]
