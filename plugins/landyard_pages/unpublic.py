"""`landing.landing.unpublic`: hide a page from visitors (B17)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_content import pages
from landyard_landing import errors, events, rights
from landyard_pages.group import page_methods


class Unpublic(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.unpublic",
    right="publish",
    writes=True,
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied, SystemFailure],
    example=Example({"lid": 12}, result=True),
)
def unpublic(call: Call, params: Unpublic) -> bool:
    """Hide a page from visitors: its address answers 404. Nothing is lost.

    `landing.block.getlist` still reads the last published version. Needs the right to publish.
    """
    page = rights.hold_page(call, params.page_id, params.scope, rights.Right.PUBLISH)
    pages.unpublish(call.connection, page.id, call.now(), call.actor.user_id)
    events.announce_pages(call, "unpublished", [page.id])
    return True
