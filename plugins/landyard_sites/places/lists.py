"""Lists sites and folders that the caller may view, with their fields on the wire."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, String, bindparam, literal_column, null, select

from landyard import Call, Paged, Prepared, one_of
from landyard_landing import rights, sites, tables

_NOTHING: Any = null().cast(String)  # a field that clients expect and the service does not have
# A literal, because PostgreSQL regards equal expressions with parameters as different.
_SLASH = literal_column("'/'", String)
_STAMPS = ("CREATED_BY_ID", "MODIFIED_BY_ID", "DATE_CREATE", "DATE_MODIFY")


def _signed(columns: Any) -> dict[str, Any]:
    stamps = (columns.created_by, columns.modified_by, columns.created_at, columns.modified_at)
    return dict(zip(_STAMPS, stamps, strict=True))


_SITE_FIELDS = {
    "ID": tables.SITE.id,
    "CODE": _SLASH + tables.SITE.code + _SLASH,
    "ACTIVE": tables.SITE.active,
    "TYPE": tables.SITE.type,
    "DELETED": tables.SITE.deleted,
    "TITLE": tables.SITE.title,
    "XML_ID": tables.SITE.xml_id,
    "DESCRIPTION": tables.SITE.description,
    "TPL_ID": tables.SITE.view_template,
    "TPL_CODE": tables.SITE.template_code,
    "DOMAIN_ID": sites.DOMAIN_ID,
    "DOMAIN_NAME": tables.SITE.domain,
    "LANDING_ID_INDEX": tables.SITE.main_page_id,
    "LANDING_ID_404": tables.SITE.page_404_id,
    "LANDING_ID_503": tables.SITE.page_503_id,
    "LANG": tables.SITE.language,
    "THEME": tables.SITE.theme,
    "PHONE": _NOTHING,
    **_signed(tables.SITE),
}
_SITES = sites.Selection(
    rights.viewed(select(tables.SITE.id), tables.SITE.id),
    _SITE_FIELDS,
    usual={"DELETED": "N"},
)
_SEEN = Prepared(
    rights.viewed(select(tables.SITE.id), tables.SITE.id).where(
        ~tables.SITE.deleted, one_of(tables.SITE.id, "site_ids")
    ),
    int,
)
_FOLDER_FIELDS = {
    "ID": tables.FOLDER.id,
    "PARENT_ID": tables.FOLDER.parent_id,
    "SITE_ID": tables.FOLDER.site_id,
    "INDEX_ID": tables.FOLDER.index_page_id,
    "ACTIVE": tables.FOLDER.active,
    "DELETED": tables.FOLDER.deleted,
    "TITLE": tables.FOLDER.title,
    "CODE": tables.FOLDER.code,
    **_signed(tables.FOLDER),
}
_FOLDERS = sites.Selection(
    select(tables.FOLDER.id).where(tables.FOLDER.site_id == bindparam("site_id")),
    _FOLDER_FIELDS,
    usual={"DELETED": "N"},
)


def list_sites(call: Call, sent: sites.Selecting, scope: str | None) -> Paged[sites.Row]:
    """Return the sites that the caller may view; see `Selection.read`.

    Sites in the trash are left out unless the filter has `DELETED`. Raises `AccessDenied` for a
    caller without any access to sites (R1).
    """
    return _SITES.read(call, sent, **rights.viewing(call, scope))


def seen_sites(
    connection: Connection, site_ids: Collection[int], values: Mapping[str, Any]
) -> list[int]:
    """Return those of the sites outside the trash that a caller may view; see `viewing`."""
    return _SEEN.all(connection, site_ids=[*site_ids], **values)


def list_folders(call: Call, site_id: int, filter_values: dict[str, Any]) -> Paged[sites.Row]:
    """Return the folders of a site by a filter; see `list_sites`."""
    return _FOLDERS.read(call, sites.Selecting(filter=filter_values), site_id=site_id)
