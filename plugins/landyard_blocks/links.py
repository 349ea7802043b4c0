"""`landyard.page.links`: the pages that link to a page."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Settings, WrongType
from landyard_blocks.group import block_methods
from landyard_blocks.page_links import LinkingPage, pages_linking_to
from landyard_landing import errors, rights


class LinksOf(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@block_methods.method(
    "landyard.page.links",
    right="view",
    errors=(MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied),
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
    page = rights.find_page(call, params.page_id, params.scope)
    return pages_linking_to(call.connection, page.id, call.settings(Settings).base)
