"""Lists the pages that the caller may view, with filters and fields by their wire names."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Integer, case, false, func, literal_column, select, true

from landyard import Call, Paged
from landyard_landing import rights, sites, tables
from landyard_pages.publication_state import IS_CHANGED


def _as_flag(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Convert a column of texts, Y or N, to a flag."""
    return case((column == literal_column("'Y'"), true()), else_=false())


_FIELDS = {
    "ID": tables.PAGE.id,
    "CODE": tables.PAGE.code,
    "RULE": tables.PAGE.rule,
    "ACTIVE": tables.PAGE.active,
    "DELETED": tables.PAGE.deleted,
    "TITLE": tables.PAGE.title,
    "XML_ID": tables.PAGE.xml_id,
    "DESCRIPTION": tables.PAGE.description,
    "TPL_ID": tables.PAGE.view_template,
    "TPL_CODE": tables.PAGE.template_code,
    "SITE_ID": tables.PAGE.site_id,
    "SITEMAP": _as_flag(tables.PAGE.sitemap),
    "FOLDER": _as_flag(tables.PAGE.folder_flag),
    "FOLDER_ID": tables.PAGE.folder_id,
    "CREATED_BY_ID": tables.PAGE.created_by,
    "MODIFIED_BY_ID": tables.PAGE.modified_by,
    "DATE_CREATE": tables.PAGE.created_at,
    "DATE_MODIFY": tables.PAGE.modified_at,
    "DATE_PUBLIC": tables.PAGE.date_public,
    "DOMAIN_ID": sites.DOMAIN_ID,
    "IS_AREA": tables.PAGE.area,
    "LANG": tables.PAGE.language,
    "TRANSLATION_OF": func.nullif(tables.PAGE.original_id, tables.PAGE.id, type_=Integer),
}
_VIEWABLE = rights.viewed(
    select(tables.PAGE.id)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(~tables.SITE.deleted),
    tables.PAGE.site_id,
)
_PAGES = sites.Selection(
    _VIEWABLE,
    _FIELDS,
    always=["DOMAIN_ID"],
    hidden=["IS_AREA"],
    filters={"PUBLISHED": tables.PAGE.published, "CHANGED": IS_CHANGED},
    usual={"DELETED": "N"},
)


def list_pages(
    call: Call, sent: sites.Selecting, scope: str | None, *, also: Iterable[str] = ()
) -> Paged[sites.Row]:
    """List the pages of the sites that the caller may view; see `Selection.read`.

    Pages in the trash are left out unless the filter has `DELETED`. Raises `AccessDenied` for a
    caller without any access to sites (R1).
    """
    return _PAGES.read(call, sent, also=also, **rights.viewing(call, scope))
