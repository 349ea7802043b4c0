"""`landing.landing.markUnDelete`: restore a page from the trash (P8, P3)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_content import pages
from landyard_landing import errors, events, rights
from landyard_pages.group import page_methods


class MarkUnDelete(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")


@page_methods.method(
    "landing.landing.markUnDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"lid": 12}, result=12),
)
def mark_un_delete(call: Call, params: MarkUnDelete) -> int:
    """Restore a page from the trash, on a site of any type, and answer its id.

    The page is inactive, and at the site's root if its folder is in the trash. If another page has
    its address now, its code gets a suffix. A page outside the trash is unchanged. Needs the right
    to delete.
    """
    try:
        page = rights.hold_page(
            call, params.page_id, None, rights.Right.DELETE, trash=True, every_type=True
        )
    except errors.LandingNotExist:
        raise errors.AccessDenied from None  # the platform has no other code for this (R2)
    if page.deleted:
        pages.restore_page(call.connection, page.id, call.now(), call.actor.user_id, page)
        events.announce_pages(call, "restored", [page.id])
    return page.id
