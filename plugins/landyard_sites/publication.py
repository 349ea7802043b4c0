"""`landing.site.publication`: publish a site and all its pages."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors, sites
from landyard_sites.group import site_methods
from landyard_sites.places.publishing import publish_site


class Publication(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.publication",
    right="publish",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.AccessDenied,
        *sites.PUBLICATION_REFUSALS,
        SystemFailure,
    ],
    example=Example({"id": 1}, result=1),
)
def publication(call: Call, params: Publication) -> int:
    """Publish a site with the drafts of all its pages; answers the site's id.

    Pages in the trash stay there; folders that contain a page become active. Needs the right to
    publish.
    """
    publish_site(call, params.site_id, params.scope)
    return params.site_id
