"""`landing.landing.getpublicurl`: the public URL of a page (contract 4.11; P11)."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Settings, SystemFailure, WrongType
from landyard_landing import errors, sites
from landyard_pages.group import page_methods


class GetPublicUrl(Struct, frozen=True):
    """`lid`: a page's id."""

    page_id: NeededId = field(name="lid")
    scope: str | None = None


@page_methods.method(
    "landing.landing.getpublicurl",
    right="view",
    errors=[MissingParams, WrongType, errors.LandingNotExist, errors.AccessDenied, SystemFailure],
    example=Example({"lid": 11}, result="http://127.0.0.1:8000/demo/boats/"),
)
def get_public_url(call: Call, params: GetPublicUrl) -> str:
    """Return a page's full public URL, from its site, its folders and its code.

    The URL of a site's main page, a folder's index page or a page with a `RULE` is without the
    code. Visitors see the page there while it and its site are active; a page with a `RULE` is
    shown at matching addresses below. Needs the right to view the page's site.
    """
    address = sites.Address.find(call, params.page_id, params.scope)
    return address.url(call.settings(Settings).base)
