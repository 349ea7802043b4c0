"""`landing.site.getRights`: the caller's rights on a site."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors, rights
from landyard_sites.group import site_methods
from landyard_sites.places.sites import require_site


class GetRights(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")


@site_methods.method(
    "landing.site.getRights",
    right="view",
    errors=[MissingParams, errors.AccessDenied, errors.FeatureNotAvail],
    example=Example({"id": 1}, result=["read", "edit", "sett", "public", "delete"]),
)
def get_rights(call: Call, params: GetRights) -> list[str]:
    """List the caller's rights on a site, in the trash or not; the example has all rights."""
    site = require_site(call, params.site_id, None, rights.Right.VIEW, every_type=True, trash=True)
    return rights.write_rights(site.rights)
