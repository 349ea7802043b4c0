"""`landing.landing.markUnDelete`: restore a page from the trash (P8, P3)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import (
    AccessDenied,
    LandingNotExist,
    PageRestored,
    Right,
    announce,
    hold_page,
    restore_page,
)
from landyard_publishing.group import publishing


class MarkUnDelete(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")


@publishing.method(
    "landing.landing.markUnDelete",
    right="delete",
    writes=True,
    errors=[MissingParams, WrongType, AccessDenied, SystemFailure],
    example=Example({"lid": 12}, result=12),
)
def mark_un_delete(call: Call, params: MarkUnDelete) -> int:
    """Restore a page from the trash, on a site of any type, and answer its id.

    The page is inactive, and at the site's root if its folder is in the trash. If another page has
    its address now, its code gets a suffix. A page outside the trash is unchanged. Needs the right
    to delete.
    """
    try:
        page = hold_page(call, params.page_id, None, Right.DELETE, trash=True, every_type=True)
    except LandingNotExist:
        raise AccessDenied from None  # the platform has no other code for this (R2)
    if page.deleted:
        restore_page(call.connection, page.id, call.now(), call.actor.user_id, page)
        announce(call, PageRestored, page.id)
    return page.id
