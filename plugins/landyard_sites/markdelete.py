"""`landing.site.markDelete`: sites go into the trash and come back (P8, P9)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import AccessDenied
from landyard_sites.group import AccessDeniedDeleted, sites
from landyard_sites.places.site_trash import mark_site


class MarkDelete(Struct, frozen=True):
    """`id`: a site's id; `mark`: into the trash, or out of it."""

    site_id: NeededId = field(name="id")
    mark: bool = True
    scope: str | None = None


@sites.method(
    "landing.site.markDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied, AccessDeniedDeleted, SystemFailure],
    example=Example({"id": 2}, result=2),
)
def mark_delete(call: Call, params: MarkDelete) -> int:
    """Put a site into the trash, hidden, or with `mark` false take it out again.

    Answers the site's id. Its pages stay as they are, and cannot be edited meanwhile. A restored
    site is inactive. After some time, which the operator says, a site in the trash goes for good
    with all its pages. Needs the right to delete.
    """
    if not mark_site(call, params.site_id, params.scope, mark=params.mark):
        raise AccessDenied("No more sites may be here outside the trash.")
    return params.site_id
