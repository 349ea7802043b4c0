"""`landing.syspage.set`: set or remove a special page of a site."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from landyard import Call, Example, Id, MissingParams, NeededId, ParamsReader, SystemFailure
from landyard_landing import arguments, errors, events, rights
from landyard_sites.special_pages.group import TYPES, WRONG_TYPE, require_site, special_pages
from landyard_sites.special_pages.pages import set_special


class Set(Struct, frozen=True):
    """`id`: a site's id; `type`: the page's type; `lid`: a page's id, or none to remove it."""

    site_id: NeededId = field(name="id")
    type: arguments.AnyText
    page_id: Annotated[
        Any, Meta(description="integer", extra_json_schema={"type": ["integer", "string"]})
    ] = field(name="lid", default=None)


class _Page(Struct, frozen=True):
    page_id: Id = 0


_NONE = (None, "", 0, "0")
_read_page = ParamsReader(_Page, lenient=True)


@special_pages.method(
    "landing.syspage.set",
    right="settings",
    writes=True,
    errors=[MissingParams, errors.AccessDenied, SystemFailure],
    example=Example({"id": 1, "type": "personal", "lid": 11}, result=True),
)
def set_page(call: Call, params: Set) -> bool:
    """Set a site's special page of a type, replacing another; without `lid` remove it.

    A `lid` of 0 removes it, too. `type` is one of mainpage, catalog, personal, cart, order,
    payment, compare and feedback; any other counts as missing. Clients read the page by
    landing.syspage.get and getSpecialPage; the page at the site's address is its
    `LANDING_ID_INDEX`. A page of another site is answered `ACCESS_DENIED`. Needs the right to
    change settings.
    """
    site = require_site(call, params.site_id, rights.Right.SETTINGS)
    if not isinstance(params.type, str) or params.type not in TYPES:
        raise MissingParams(WRONG_TYPE)
    page_id = None if params.page_id in _NONE else _read_page({"page_id": params.page_id}).page_id
    if page_id == 0 or not set_special(call, site.id, params.type, page_id):
        raise errors.AccessDenied("The site has no such page.")
    events.announce_site(call, "changed", site.id)
    return True
