"""`landing.site.getList`: a list of sites with filter, order and selected fields."""

import msgspec
from msgspec import Struct

from landyard import Call, Example, Paged, SystemFailure, WrongType
from landyard_landing import errors, sites
from landyard_sites.addresses import pictures, public_urls
from landyard_sites.group import site_methods
from landyard_sites.places.lists import list_sites

_ADDED = {"PUBLIC_URL": public_urls, "PREVIEW_PICTURE": pictures}


class GetList(Struct, frozen=True):
    """`params`: a filter, and the fields to answer."""

    params: sites.Selecting = sites.Selecting()
    scope: str | None = None


@site_methods.method(
    "landing.site.getList",
    right="view",
    errors=[errors.AccessDenied, WrongType, SystemFailure],
    example=Example(
        {"params": {"select": ["ID", "TITLE", "TYPE"], "order": {"ID": "DESC"}}},
        result=[
            {"ID": "2", "TITLE": "Attic", "TYPE": "PAGE"},
            {"ID": "1", "TITLE": "Tidewright", "TYPE": "PAGE"},
        ],
    ),
)
def get_list(call: Call, params: GetList) -> Paged[sites.Row]:
    """List the sites that the caller may view, without those in the trash.

    `params` is `{select, filter, order, group, limit, offset}`. Both `params` and the values in the
    answer are as in `landing.landing.getList`. `DOMAIN_NAME`, `PUBLIC_URL`, `PREVIEW_PICTURE` and
    `PHONE` can be selected, too; `PHONE` is always null. `LANG` is the site's language, `THEME` the
    code of its theme. `CODE` has a slash on either side, in answers and filters.
    """
    selecting = params.params
    added = [] if selecting.group else [name for name in _ADDED if name in selecting.select]
    if not added:
        return list_sites(call, selecting, params.scope)
    chosen = [name for name in selecting.select if name not in _ADDED]
    page = list_sites(
        call, msgspec.structs.replace(selecting, select=(*chosen, "ID")), params.scope
    )
    ids = [int(row["ID"] or 0) for row in page.items]
    for name in added:
        values = _ADDED[name](call, ids)
        for site_id, row in zip(ids, page.items, strict=True):
            row[name] = values[site_id]
    if not {"ID", "*"} & {*chosen}:
        for row in page.items:
            del row["ID"]
    return page
