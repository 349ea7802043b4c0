"""`landing.landing.getList`: a list of pages with filter, order and selected fields."""

from msgspec import Struct

from landyard import Call, Example, Paged, Settings, SystemFailure, Truthy, WrongType
from landyard_landing import errors, sites
from landyard_pages.group import page_methods
from landyard_pages.page_list import list_pages
from landyard_pages.page_revisions import read_page_revisions
from landyard_pages.publication_state import read_standing
from landyard_pages.template_texts import read_shown_texts
from landyard_public.share_images import previews


class PagesParams(sites.Selecting, frozen=True):
    """`get_urls`, `get_preview`, `check_area`: add the fields PUBLIC_URL, PREVIEW, IS_AREA.

    `get_revision`: adds REVISION, which landing.landing.update takes. `get_metadata`: adds
    METAMAIN_TITLE, METAMAIN_DESCRIPTION, METAOG_TITLE and METAOG_DESCRIPTION, each empty if the
    page uses its own title, or nothing, instead. `get_publication`: adds PUBLISHED, whether there
    is a published version, and CHANGED, whether the draft's blocks differ from it.
    """

    get_preview: Truthy = False
    get_urls: Truthy = False
    check_area: Truthy = False
    get_revision: Truthy = False
    get_metadata: Truthy = False
    get_publication: Truthy = False

    @property
    def needed(self) -> list[str]:
        """The fields that the additions are computed from."""
        if self.group:
            return []
        by_id = self.get_preview or self.get_urls or self.get_revision or self.get_publication
        by_id = by_id or self.get_metadata
        return ["ID"] * by_id + ["IS_AREA"] * self.check_area


class GetList(Struct, frozen=True):
    """`params`: a filter, the fields to answer, and additions."""

    params: PagesParams = PagesParams()
    scope: str | None = None


@page_methods.method(
    "landing.landing.getList",
    right="view",
    errors=[errors.AccessDenied, WrongType, SystemFailure],
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
def get_list(call: Call, params: GetList) -> Paged[sites.Row]:
    """List the pages of all sites that the caller may view, without those in the trash.

    `params` is `{select, filter, order, group, limit, offset}`. `filter` maps fields to a value or
    a list of alternatives. A field may be prefixed by `=`, `!` or `!=` (not), `>`, `<`, `>=`, `<=`,
    `><` (between two), `%` (contains), `=%` (a mask with `%` and `_`) and `@` (one of). Null, `""`
    or `false` matches an empty field. Without `DELETED` in it pages in the trash are left out. All
    values are strings, flags `Y` or `N`; an empty reference is null. `DOMAIN_ID` is always
    included; `get_urls` adds `PUBLIC_URL`, `get_preview` `PREVIEW`, `check_area` `IS_AREA`,
    `get_revision` `REVISION`, `get_metadata` the texts for search engines, `get_publication`
    `PUBLISHED` and `CHANGED`, which `filter` can use even without it. At most 5,000 pages are
    answered; if more remain, the envelope carries `next`, the `offset` to continue from, and
    `total`.
    """
    selecting = params.params
    page = list_pages(call, selecting, params.scope, also=selecting.needed)
    _add(call, page.items, selecting)
    return page


def _add(call: Call, rows: list[sites.Row], selecting: PagesParams) -> None:
    """Add the requested fields to the rows, and remove the id if it was not selected."""
    if "ID" not in selecting.needed:
        return
    base = call.settings(Settings).base
    ids = [int(row["ID"] or 0) for row in rows]
    pictures = previews(call.connection, ids, base) if selecting.get_preview else {}
    revisions = read_page_revisions(call.connection, ids) if selecting.get_revision else {}
    texts = read_shown_texts(call.connection, ids) if selecting.get_metadata else {}
    publication = read_standing(call.connection, ids) if selecting.get_publication else {}
    id_selected = not selecting.select or not {"ID", "*"}.isdisjoint(selecting.select)
    for page_id, row in zip(ids, rows, strict=True):
        if not id_selected:
            del row["ID"]
        if selecting.get_urls and (address := sites.address_of(call.connection, page_id)):
            row["PUBLIC_URL"] = address.url(base)
        if selecting.get_preview:
            row["PREVIEW"] = pictures[page_id]
        if selecting.get_revision:
            row["REVISION"] = revisions[page_id]
        row.update(texts.get(page_id, {}))
        if selecting.get_publication:
            row["PUBLISHED"] = "Y" if page_id in publication else "N"
            row["CHANGED"] = "Y" if publication.get(page_id) else "N"
