"""`landing.syspage.get`: the special pages of a site."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, SystemFailure, WrongType
from landyard_landing import errors, rights
from landyard_sites.special_pages.group import require_site, special_pages
from landyard_sites.special_pages.pages import list_special


class Get(Struct, frozen=True):
    """`id`: a site's id; `active`: only pages that visitors can see."""

    site_id: NeededId = field(name="id")
    active: bool = False


class SpecialPage(Struct, frozen=True, rename="upper"):
    """A special page of a site; flags are Y or N."""

    type: str
    landing_id: str
    title: str
    deleted: str
    active: str


@special_pages.method(
    "landing.syspage.get",
    right="view",
    errors=[MissingParams, errors.AccessDenied, WrongType, SystemFailure],
    example=Example({"id": 1}, result={}),
)
def get(call: Call, params: Get) -> dict[str, SpecialPage]:
    """Answer the special pages of a site, by type; see landing.syspage.set.

    With `active` pages that are hidden, or in the trash, are left out. Needs the right to view.
    """
    site = require_site(call, params.site_id, rights.Right.VIEW)
    return {
        each.type: SpecialPage(
            each.type, str(each.page_id), each.title, _flag(each.deleted), _flag(each.active)
        )
        for each in list_special(call.connection, site.id)
        if not params.active or (each.active and not each.deleted)
    }


def _flag(value: bool) -> str:
    return "Y" if value else "N"
