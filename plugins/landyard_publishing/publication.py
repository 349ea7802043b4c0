"""`landing.landing.publication`: publish a page's draft (B1)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import (
    PUBLICATION_REFUSALS,
    AccessDenied,
    LandingNotExist,
    PagePublished,
    Right,
    announce,
    hold_page,
    publish,
    require_room,
)
from landyard_publishing.group import publishing


class Publication(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@publishing.method(
    "landing.landing.publication",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, LandingNotExist, *PUBLICATION_REFUSALS, SystemFailure],
    example=Example({"lid": 12}, result=True),
)
def publication(call: Call, params: Publication) -> bool:
    """Publish a page's draft; its folder, parent folders and site become active, too.

    Needs the right to publish; without it the answer is LANDING_NOT_EXIST, as the platform has no
    code for a missing right. The settings may limit the number of public pages and sites.
    """
    try:
        page = hold_page(call, params.page_id, params.scope, Right.PUBLISH)
    except AccessDenied:
        raise LandingNotExist("There is no such page, or it is not yours to publish.") from None
    require_room(call, page.site_id, [page.id])
    publish(call.connection, page.id, call.now(), call.actor.user_id)
    announce(call, PagePublished, page.id, page.site_id)
    return True
