"""`landing.landing.unpublic`: hide a page from visitors (B17)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import (
    AccessDenied,
    LandingNotExist,
    PageUnpublished,
    Right,
    announce,
    hold_page,
    unpublish,
)
from landyard_publishing.group import publishing


class Unpublic(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@publishing.method(
    "landing.landing.unpublic",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, LandingNotExist, AccessDenied, SystemFailure],
    example=Example({"lid": 12}, result=True),
)
def unpublic(call: Call, params: Unpublic) -> bool:
    """Hide a page from visitors: its address answers 404. Nothing is lost.

    `landing.block.getlist` still reads the last published version. Needs the right to publish.
    """
    page = hold_page(call, params.page_id, params.scope, Right.PUBLISH)
    unpublish(call.connection, page.id, call.now(), call.actor.user_id)
    announce(call, PageUnpublished, page.id)
    return True
