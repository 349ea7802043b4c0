"""`landing.site.getList`: the sites that the caller sees, as a list."""

import msgspec
from msgspec import Struct

from landyard import Call, Example, Paged, SystemFailure, WrongType
from landyard_landing import AccessDenied, Row, Selecting
from landyard_sites.addresses import pictures, public_urls
from landyard_sites.group import sites
from landyard_sites.places.lists import list_sites

_ADDED = {"PUBLIC_URL": public_urls, "PREVIEW_PICTURE": pictures}


class GetList(Struct, frozen=True):
    """`params`: which sites, and what of them."""

    params: Selecting = Selecting()
    scope: str | None = None


@sites.method(
    "landing.site.getList",
    right="view",
    errors=[AccessDenied, WrongType, SystemFailure],
    example=Example(
        {"params": {"select": ["ID", "TITLE", "TYPE"], "order": {"ID": "DESC"}}},
        result=[
            {"ID": "2", "TITLE": "Attic", "TYPE": "PAGE"},
            {"ID": "1", "TITLE": "Tidewright", "TYPE": "PAGE"},
        ],
    ),
)
def get_list(call: Call, params: GetList) -> Paged[Row]:
    """List the sites that the caller may view, without those in the trash.

    `params` is `{select, filter, order, group, limit, offset}` as of `landing.landing.getList`,
    and so are the values in the answer. `DOMAIN_NAME`, `PUBLIC_URL`, `PREVIEW_PICTURE` and `PHONE`
    can be selected besides; `PHONE` is null here. `LANG` is the site's language, `THEME` the
    code of its theme. `CODE` is told, and looked for, with a slash on either side.
    """
    sent = params.params
    added = [] if sent.group else [name for name in _ADDED if name in sent.select]
    if not added:
        return list_sites(call, sent, params.scope)
    chosen = [name for name in sent.select if name not in _ADDED]
    found = list_sites(call, msgspec.structs.replace(sent, select=(*chosen, "ID")), params.scope)
    ids = [int(row["ID"] or 0) for row in found.items]
    for name in added:
        values = _ADDED[name](call, ids)
        for site_id, row in zip(ids, found.items, strict=True):
            row[name] = values[site_id]
    if not {"ID", "*"} & {*chosen}:
        for row in found.items:
            del row["ID"]
    return found
