"""`landing.landing.getpreview`: the address of a page's preview picture."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Settings
from landyard_landing import errors, rights
from landyard_pages.group import page_methods
from landyard_public.share_images import previews


class GetPreview(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.getpreview",
    right="view",
    errors=[MissingParams, errors.LandingNotExist],
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
        page = rights.find_page(call, params.page_id, params.scope)
    except errors.AccessDenied:
        raise errors.LandingNotExist from None  # the platform has no other code for this (R1)
    return previews(call.connection, [page.id], call.settings(Settings).base)[page.id]
