"""`landing.landing.getList`: the pages that the caller sees, as a list."""

from msgspec import Struct

from landyard import Call, Example, Paged, Settings, SystemFailure, Truthy, WrongType
from landyard_landing import (
    AccessDenied,
    Row,
    Selecting,
    address_of,
    list_pages,
    previews,
    read_page_revisions,
    read_shown_texts,
    read_standing,
)
from landyard_publishing.group import publishing


class PagesParams(Selecting, frozen=True):
    """`get_urls`, `get_preview`, `check_area`: add the fields PUBLIC_URL, PREVIEW, IS_AREA.

    `get_revision`: adds REVISION, which landing.landing.update takes.
    `get_metadata`: adds METAMAIN_TITLE, METAMAIN_DESCRIPTION, METAOG_TITLE and METAOG_DESCRIPTION,
    each empty where the page shows its own title, or nothing, in its place.
    `get_publication`: adds PUBLISHED, whether there is a published version, and CHANGED, whether
    the draft's blocks are others by now.
    """

    get_preview: Truthy = False
    get_urls: Truthy = False
    check_area: Truthy = False
    get_revision: Truthy = False
    get_metadata: Truthy = False
    get_publication: Truthy = False

    @property
    def needed(self) -> list[str]:
        """The fields that what is added is found by."""
        if self.group:
            return []
        by_id = self.get_preview or self.get_urls or self.get_revision or self.get_publication
        by_id = by_id or self.get_metadata
        return ["ID"] * by_id + ["IS_AREA"] * self.check_area


class GetList(Struct, frozen=True):
    """`params`: which pages, and what of them."""

    params: PagesParams = PagesParams()
    scope: str | None = None


@publishing.method(
    "landing.landing.getList",
    right="view",
    errors=[AccessDenied, WrongType, SystemFailure],
    example=Example(
        {
            "params": {
                "select": ["ID", "TITLE", "SITE_ID"],
                "filter": {"SITE_ID": 1, "%TITLE": "boats by"},
                "order": {"ID": "DESC"},
                "get_urls": True,
            }
        },
        result=[
            {
                "ID": "11",
                "TITLE": "Boats by Tidewright",
                "SITE_ID": "1",
                "DOMAIN_ID": None,
                "PUBLIC_URL": "http://127.0.0.1:8000/demo/boats/",
            },
        ],
    ),
)
def get_list(call: Call, params: GetList) -> Paged[Row]:
    """List the pages of all sites that the caller may view, without those in the trash.

    `params` is `{select, filter, order, group, limit, offset}`. `filter` holds values by field, a
    list of values for any of them; before the field may stand `=`, `!` or `!=` (not), `>`, `<`,
    `>=`, `<=`, `><` (between two), `%` (contains), `=%` (a mask with `%` and `_`) and `@` (one
    of). Nothing, `""` or `false` finds an empty one. Without `DELETED` in it pages in the trash are
    left out. All values are strings, flags `Y` or `N`, an empty reference is null. `DOMAIN_ID` is
    always told; `get_urls` adds `PUBLIC_URL`, `get_preview` `PREVIEW`, `check_area` `IS_AREA`,
    `get_revision` `REVISION`, `get_metadata` the texts for search engines, `get_publication`
    `PUBLISHED` and `CHANGED`, which can be filtered by whether they are asked for or not.
    At most 5,000 pages are answered; where more remain the envelope carries `next`, the `offset`
    to go on from, and `total`.
    """
    sent = params.params
    found = list_pages(call, sent, params.scope, also=sent.needed)
    _add(call, found.items, sent)
    return found


def _add(call: Call, rows: list[Row], sent: PagesParams) -> None:
    """Put in what was asked for, and take out an id that was not."""
    if "ID" not in sent.needed:
        return
    base = call.settings(Settings).base
    ids = [int(row["ID"] or 0) for row in rows]
    pictures = previews(call.connection, ids, base) if sent.get_preview else {}
    revisions = read_page_revisions(call.connection, ids) if sent.get_revision else {}
    texts = read_shown_texts(call.connection, ids) if sent.get_metadata else {}
    standing = read_standing(call.connection, ids) if sent.get_publication else {}
    shown = not sent.select or not {"ID", "*"}.isdisjoint(sent.select)
    for page_id, row in zip(ids, rows, strict=True):
        if not shown:
            del row["ID"]
        if sent.get_urls and (address := address_of(call.connection, page_id)):
            row["PUBLIC_URL"] = address.url(base)
        if sent.get_preview:
            row["PREVIEW"] = pictures[page_id]
        if sent.get_revision:
            row["REVISION"] = revisions[page_id]
        row.update(texts.get(page_id, {}))
        if sent.get_publication:
            row["PUBLISHED"] = "Y" if page_id in standing else "N"
            row["CHANGED"] = "Y" if standing.get(page_id) else "N"
