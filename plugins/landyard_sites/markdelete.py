"""`landing.site.markDelete`: move a site to the trash or restore it (P8, P9)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors
from landyard_sites.group import AccessDeniedDeleted, site_methods
from landyard_sites.places.site_trash import mark_site


class MarkDelete(Struct, frozen=True):
    """`id`: a site's id; `mark`: into the trash if true, out of it if false."""

    site_id: NeededId = field(name="id")
    mark: bool = True
    scope: str | None = None


@site_methods.method(
    "landing.site.markDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, AccessDeniedDeleted, SystemFailure],
    example=Example({"id": 2}, result=2),
)
def mark_delete(call: Call, params: MarkDelete) -> int:
    """Move a site, hidden, to the trash, or with `mark` false restore it.

    Answers the site's id. Its pages are unchanged, but cannot be edited meanwhile. A restored site
    is inactive. After a time set by the operator, a site in the trash is removed for good with all
    its pages. Needs the right to delete.
    """
    if not mark_site(call, params.site_id, params.scope, mark=params.mark):
        raise errors.AccessDenied("The limit of sites outside the trash is reached.")
    return params.site_id
