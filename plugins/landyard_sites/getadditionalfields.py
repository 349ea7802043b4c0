"""`landing.site.getadditionalfields`: the additional fields of a site, its further settings."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors, rights, sites
from landyard_sites.group import site_methods
from landyard_sites.places.sites import additional_fields, require_site


class GetAdditionalFields(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.getadditionalfields",
    right="view",
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"id": 2}, result={"THEME_CODE": "1construction"}),
)
def get_additional_fields(call: Call, params: GetAdditionalFields) -> dict[str, Any]:
    """Return the non-empty additional fields of a site, by their codes."""
    site = require_site(call, params.site_id, params.scope, rights.Right.VIEW)
    return sites.filled_additional(additional_fields(call.connection, site.id))
