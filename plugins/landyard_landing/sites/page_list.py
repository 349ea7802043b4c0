"""Lists the pages that the caller may view, with filters and fields by their wire names."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Integer, case, false, func, literal_column, select, true

from landyard import Call, Paged
from landyard_landing.blocks.standing import IS_CHANGED
from landyard_landing.sites.pages import viewed, viewing
from landyard_landing.sites.selection import Row, Selecting, Selection
from landyard_landing.sites.sites import DOMAIN_ID
from landyard_landing.tables import PAGE, SITE


def _as_flag(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Convert a column of texts, Y or N, to a flag."""
    return case((column == literal_column("'Y'"), true()), else_=false())


_FIELDS = {
    "ID": PAGE.id,
    "CODE": PAGE.code,
    "RULE": PAGE.rule,
    "ACTIVE": PAGE.active,
    "DELETED": PAGE.deleted,
    "TITLE": PAGE.title,
    "XML_ID": PAGE.xml_id,
    "DESCRIPTION": PAGE.description,
    "TPL_ID": PAGE.view_template,
    "TPL_CODE": PAGE.template_code,
    "SITE_ID": PAGE.site_id,
    "SITEMAP": _as_flag(PAGE.sitemap),
    "FOLDER": _as_flag(PAGE.folder_flag),
    "FOLDER_ID": PAGE.folder_id,
    "CREATED_BY_ID": PAGE.created_by,
    "MODIFIED_BY_ID": PAGE.modified_by,
    "DATE_CREATE": PAGE.created_at,
    "DATE_MODIFY": PAGE.modified_at,
    "DATE_PUBLIC": PAGE.date_public,
    "DOMAIN_ID": DOMAIN_ID,
    "IS_AREA": PAGE.area,
    "LANG": PAGE.language,
    "TRANSLATION_OF": func.nullif(PAGE.original_id, PAGE.id, type_=Integer),
}
_VIEWABLE = viewed(
    select(PAGE.id).join(SITE.id.table, SITE.id == PAGE.site_id).where(~SITE.deleted), PAGE.site_id
)
_PAGES = Selection(
    _VIEWABLE,
    _FIELDS,
    always=["DOMAIN_ID"],
    hidden=["IS_AREA"],
    filters={"PUBLISHED": PAGE.published, "CHANGED": IS_CHANGED},
    usual={"DELETED": "N"},
)


def list_pages(
    call: Call, sent: Selecting, scope: str | None, *, also: Iterable[str] = ()
) -> Paged[Row]:
    """List the pages of the sites that the caller may view; see `Selection.read`.

    Pages in the trash are left out unless the filter has `DELETED`. Raises `AccessDenied` for a
    caller without any access to sites (R1).
    """
    return _PAGES.read(call, sent, also=also, **viewing(call, scope))
