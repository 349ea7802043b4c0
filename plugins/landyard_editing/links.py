"""`landyard.page.links`: the pages that link to a page."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Settings, WrongType
from landyard_editing.group import editing
from landyard_landing import (
    AccessDenied,
    LandingNotExist,
    LinkingPage,
    find_page,
    pages_linking_to,
)


class LinksOf(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@editing.method(
    "landyard.page.links",
    right="view",
    errors=(MissingParams, WrongType, LandingNotExist, AccessDenied),
    example=Example(
        {"lid": 12},
        result=[
            {"id": 10, "title": "Tidewright: small wooden boats", "public": True},
            {"id": 11, "title": "Boats by Tidewright", "public": True},
        ],
    ),
)
def list_links(call: Call, params: LinksOf) -> list[LinkingPage]:
    """List the other pages of the same site that link to a page, including drafts.

    If the page is moved to the trash, these links are broken. `public`: visitors see the link.
    Pages in the trash are left out.
    """
    page = find_page(call, params.page_id, params.scope)
    return pages_linking_to(call.connection, page.id, call.settings(Settings).base)
