"""`landing.site.delete`: remove a site for good."""

from msgspec import Struct, field

from landyard import (
    Call,
    CallError,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    SystemFailure,
    WrongType,
)
from landyard_landing import errors, events, rights
from landyard_sites.group import AccessDeniedDeleted, site_methods
from landyard_sites.places.sites import erase_site, has_pages, hold_site


class SiteIsNotEmpty(CallError):
    code = "SITE_IS_NOT_EMPTY"
    text = "The site contains pages, perhaps in the trash; delete them first."


class SiteIsLock(CallError):
    code = "SITE_IS_LOCK"
    text = "The site is locked against deletion."


class Delete(Struct, frozen=True):
    """`id`: a site's id."""

    site_id: NeededId = field(name="id")
    scope: str | None = None


@site_methods.method(
    "landing.site.delete",
    right="delete",
    writes=True,
    notes=[Irreversible()],
    errors=[
        MissingParams,
        WrongType,
        errors.AccessDenied,
        AccessDeniedDeleted,
        SiteIsNotEmpty,
        SiteIsLock,
        SystemFailure,
    ],
    example=Example({"id": 2}, result=True),
)
def delete(call: Call, params: Delete) -> bool:
    """Remove a site for good, in the trash or not, with its folders and the rights on it.

    A site with pages, even in the trash, cannot be removed. Needs the right to delete.
    """
    site = hold_site(call, params.site_id, params.scope, rights.Right.DELETE, trash=True)
    if has_pages(call.connection, site.id):
        raise SiteIsNotEmpty
    events.announce_site(call, "deleted", site.id)
    erase_site(call.connection, site.id)
    return True
