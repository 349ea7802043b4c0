"""`landing.landing.getpreview`: the address of a page's preview picture."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Settings
from landyard_landing import AccessDenied, LandingNotExist, find_page, previews
from landyard_publishing.group import publishing


class GetPreview(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@publishing.method(
    "landing.landing.getpreview",
    right="view",
    errors=[MissingParams, LandingNotExist],
    example=Example(
        {"lid": 11},
        result="http://127.0.0.1:8000/assets/pictures/print_harbour.svg",
    ),
)
def get_preview(call: Call, params: GetPreview) -> str:
    """Return the address of a page's preview picture.

    It is the page's additional field `METAOG_IMAGE`, else a default picture. Needs the right to
    view the page's site.
    """
    try:
        page = find_page(call, params.page_id, params.scope)
    except AccessDenied:
        raise LandingNotExist from None  # the platform has no other code for this (R1)
    return previews(call.connection, [page.id], call.settings(Settings).base)[page.id]
