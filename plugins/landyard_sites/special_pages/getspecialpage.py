"""`landing.syspage.getSpecialPage`: the address of a site's special page."""

from urllib.parse import quote, urlencode

from msgspec import Struct, field

from landyard import (
    Call,
    Example,
    MissingParams,
    NeededId,
    Settings,
    SystemFailure,
    WrongType,
    read_text,
)
from landyard_landing import arguments, errors, rights, sites
from landyard_sites.special_pages.group import TYPES, WRONG_TYPE, require_site, special_pages
from landyard_sites.special_pages.pages import find_special


class GetSpecialPage(Struct, frozen=True):
    """`siteId`: a site's id; `type`: the page's type; `additional`: texts for its query."""

    site_id: NeededId = field(name="siteId")
    type: arguments.AnyText
    additional: arguments.AnyMap = None


@special_pages.method(
    "landing.syspage.getSpecialPage",
    right="view",
    errors=[MissingParams, errors.AccessDenied, arguments.ErrorArgument, SystemFailure],
    example=Example({"siteId": 1, "type": "personal"}, result=None),
)
def get_special_page(call: Call, params: GetSpecialPage) -> str | None:
    """Return the public URL of a site's special page of a type; null if it has none.

    `additional` becomes the query of the URL. A page in the trash does not count. Needs the right
    to view.
    """
    kind = arguments.text_argument(params.type, "type")
    if kind not in TYPES:
        raise arguments.ErrorArgument("type", WRONG_TYPE)
    query = _query(arguments.map_argument(params.additional, "additional"))
    site = require_site(call, params.site_id, rights.Right.VIEW)
    special = find_special(call.connection, site.id, kind)
    if special is None or special.deleted:
        return None
    address = sites.address_of(call.connection, special.page_id)
    if address is None:
        return None
    return address.url(call.settings(Settings).base) + query


def _query(additional: dict[str, object]) -> str:
    try:
        texts = {name: read_text(value, name) for name, value in additional.items()}
    except WrongType:
        raise arguments.ErrorArgument(
            "additional", "Parameter 'additional' must be an object of strings."
        ) from None
    return f"?{urlencode(texts, quote_via=quote)}" if texts else ""
