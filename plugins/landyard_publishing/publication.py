"""`landing.landing.publication`: visitors see what was a page's draft (B1)."""

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
    """Show a page's draft to visitors; its folder, those around it and its site become active too.

    Needs the right to publish: for who lacks it there is no such page, as the platform has no code
    for that. Where the settings say how many pages and sites may be public, one more is refused.
    """
    try:
        page = hold_page(call, params.page_id, params.scope, Right.PUBLISH)
    except AccessDenied:
        raise LandingNotExist("There is no such page, or it is not yours to publish.") from None
    require_room(call, page.site_id, [page.id])
    publish(call.connection, page.id, call.now(), call.actor.user_id)
    announce(call, PagePublished, page.id, page.site_id)
    return True
