"""Lists of sites and folders: their fields on the wire, and the rows for the caller."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, String, bindparam, literal_column, null, select

from landyard import Call, Paged, Prepared, one_of
from landyard_landing import DOMAIN_ID, FOLDER, SITE, Row, Selecting, Selection, viewed, viewing

_NOTHING: Any = null().cast(String)  # a field that clients expect and the service does not have
# A literal, because PostgreSQL regards equal expressions with parameters as different.
_SLASH = literal_column("'/'", String)
_STAMPS = ("CREATED_BY_ID", "MODIFIED_BY_ID", "DATE_CREATE", "DATE_MODIFY")


def _signed(columns: Any) -> dict[str, Any]:
    stamps = (columns.created_by, columns.modified_by, columns.created_at, columns.modified_at)
    return dict(zip(_STAMPS, stamps, strict=True))


_SITE_FIELDS = {
    "ID": SITE.id,
    "CODE": _SLASH + SITE.code + _SLASH,
    "ACTIVE": SITE.active,
    "TYPE": SITE.type,
    "DELETED": SITE.deleted,
    "TITLE": SITE.title,
    "XML_ID": SITE.xml_id,
    "DESCRIPTION": SITE.description,
    "TPL_ID": SITE.view_template,
    "TPL_CODE": SITE.template_code,
    "DOMAIN_ID": DOMAIN_ID,
    "DOMAIN_NAME": SITE.domain,
    "LANDING_ID_INDEX": SITE.main_page_id,
    "LANDING_ID_404": SITE.page_404_id,
    "LANDING_ID_503": SITE.page_503_id,
    "LANG": SITE.language,
    "THEME": SITE.theme,
    "PHONE": _NOTHING,
    **_signed(SITE),
}
_SITES = Selection(
    viewed(select(SITE.id), SITE.id),
    _SITE_FIELDS,
    usual={"DELETED": "N"},
)
_SEEN = Prepared(
    viewed(select(SITE.id), SITE.id).where(~SITE.deleted, one_of(SITE.id, "site_ids")),
    int,
)
_FOLDER_FIELDS = {
    "ID": FOLDER.id,
    "PARENT_ID": FOLDER.parent_id,
    "SITE_ID": FOLDER.site_id,
    "INDEX_ID": FOLDER.index_page_id,
    "ACTIVE": FOLDER.active,
    "DELETED": FOLDER.deleted,
    "TITLE": FOLDER.title,
    "CODE": FOLDER.code,
    **_signed(FOLDER),
}
_FOLDERS = Selection(
    select(FOLDER.id).where(FOLDER.site_id == bindparam("site_id")),
    _FOLDER_FIELDS,
    usual={"DELETED": "N"},
)


def list_sites(call: Call, sent: Selecting, scope: str | None) -> Paged[Row]:
    """Return the sites that the caller may view; see `Selection.read`.

    Sites in the trash are left out unless the filter has `DELETED`. Raises `AccessDenied` for a
    caller without any access to sites (R1).
    """
    return _SITES.read(call, sent, **viewing(call, scope))


def seen_sites(
    connection: Connection, site_ids: Collection[int], values: Mapping[str, Any]
) -> list[int]:
    """Return those of the sites outside the trash that a caller may view; see `viewing`."""
    return _SEEN.all(connection, site_ids=[*site_ids], **values)


def list_folders(call: Call, site_id: int, filter_values: dict[str, Any]) -> Paged[Row]:
    """Return the folders of a site by a filter; see `list_sites`."""
    return _FOLDERS.read(call, Selecting(filter=filter_values), site_id=site_id)
