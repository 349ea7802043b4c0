"""`landing.site.getFolders`: a list of a site's folders."""

from typing import Any

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId, Paged, SystemFailure, WrongType
from landyard_landing import errors, rights, sites
from landyard_sites.group import site_methods
from landyard_sites.places.lists import list_folders
from landyard_sites.places.sites import require_site


class GetFolders(Struct, frozen=True):
    """`siteId`: a site's id; `filter`: values by field, as in `landing.landing.getList`."""

    site_id: NeededId = field(name="siteId")
    filter: dict[str, Any] = {}
    scope: str | None = None


@site_methods.method(
    "landing.site.getFolders",
    right="view",
    errors=[MissingParams, WrongType, errors.AccessDenied, SystemFailure],
    example=Example({"siteId": 1, "filter": {"PARENT_ID": 1}}, result=[]),
)
def get_folders(call: Call, params: GetFolders) -> Paged[sites.Row]:
    """List the folders of a site, without those in the trash unless the filter asks for them.

    `filter` may hold `ID`, `PARENT_ID` (0 or null for the site's root), `INDEX_ID`, `ACTIVE`,
    `DELETED`, `TITLE`, `CODE`, `CREATED_BY_ID`, `MODIFIED_BY_ID`, `DATE_CREATE` and `DATE_MODIFY`.
    All values in the answer are strings, flags `Y` or `N`, an empty reference is null. Needs the
    right to view.
    """
    site = require_site(call, params.site_id, params.scope, rights.Right.VIEW)
    return list_folders(call, site.id, params.filter)
