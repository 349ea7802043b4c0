"""`landing.site.unpublic`: hide a site and all its pages (B17)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors, rights
from landyard_sites.group import site_methods
from landyard_sites.places.publishing import hide_site
from landyard_sites.places.sites import require_site


class Unpublic(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.unpublic",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"id": 1}, result=1),
)
def unpublic(call: Call, params: Unpublic) -> int:
    """Hide a site and all its pages from visitors; answers the site's id.

    Nothing is lost: `landing.block.getlist` still reads the published blocks. Needs the
    right to publish.
    """
    site = require_site(call, params.site_id, params.scope, rights.Right.PUBLISH)
    hide_site(call, site.id)
    return site.id
