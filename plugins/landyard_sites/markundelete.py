"""`landing.site.markUnDelete`: restore a site from the trash (P8)."""

from msgspec import Struct, field

from landyard import Call, CallError, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import site_methods
from landyard_sites.places.site_trash import mark_site


class TotalSiteReached(CallError):
    code = "TOTAL_SITE_REACHED"
    text = "The limit of sites outside the trash is reached; delete a site first."


class MarkUnDelete(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.markUnDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, TotalSiteReached, SystemFailure],
    example=Example({"id": 2}, result=2),
)
def mark_undelete(call: Call, params: MarkUnDelete) -> int:
    """Restore a site from the trash, and answer its id; it stays inactive until published.

    A site outside the trash is unchanged. Needs the right to delete.
    """
    if not mark_site(call, params.site_id, params.scope, mark=False):
        raise TotalSiteReached
    return params.site_id
