"""`landing.landing.publication`: publish a page's draft (B1)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_content import pages
from landyard_landing import errors, events, rights, sites
from landyard_pages.group import page_methods


class Publication(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.publication",
    right="publish",
    writes=True,
    errors=[
        MissingParams,
        WrongType,
        errors.LandingNotExist,
        *sites.PUBLICATION_REFUSALS,
        SystemFailure,
    ],
    example=Example({"lid": 12}, result=True),
)
def publication(call: Call, params: Publication) -> bool:
    """Publish a page's draft; its folder, parent folders and site become active, too.

    Needs the right to publish; without it the answer is LANDING_NOT_EXIST, as the platform has no
    code for a missing right. The settings may limit the number of public pages and sites.
    """
    try:
        page = rights.hold_page(call, params.page_id, params.scope, rights.Right.PUBLISH)
    except errors.AccessDenied:
        raise errors.LandingNotExist(
            "There is no such page, or it is not yours to publish."
        ) from None
    sites.require_room(call, page.site_id, [page.id])
    pages.publish(call.connection, page.id, call.now(), call.actor.user_id)
    events.announce_pages(call, "published", [page.id])
    return True
