"""Checks that rows written by an undo keep the rules that the database does not enforce.

Each function answers what is in the way, in words. A page, folder or site that was in the trash, or
out of its site, before the undone call was made is not in the way: it was so then.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, bindparam, case, func, or_, select, union_all

from landyard import Call, Prepared
from landyard_landing.site_tables import AREA
from landyard_landing.sites.codes import in_trash, is_taken, lock_sites
from landyard_landing.sites.page_references import lock_referenced_pages
from landyard_landing.tables import FOLDER, PAGE, SITE

Row = Mapping[str, Any]
Written = Collection[str]

_NAMED = ("main_page_id", "page_404_id", "page_503_id")
_WHERE = {"site_id", "folder_id", "parent_id", "deleted"}
_TAKEN = "another page or folder has its address by now."


class _Folder(Struct, frozen=True):
    site_id: int
    parent_id: int | None
    trashed_at: datetime | None


class _Page(Struct, frozen=True):
    site_id: int
    modified_at: datetime
    trashed_at: datetime | None


_SITE = Prepared(
    select(case((SITE.deleted, SITE.deleted_at))).where(SITE.id == bindparam("site_id"))
)
_FOLDER = Prepared(
    select(FOLDER.site_id, FOLDER.parent_id, case((FOLDER.deleted, FOLDER.deleted_at))).where(
        FOLDER.id == bindparam("folder_id")
    ),
    _Folder,
)
_PAGE = Prepared(
    select(PAGE.site_id, PAGE.modified_at, case((PAGE.deleted, PAGE.deleted_at))).where(
        PAGE.id == bindparam("page_id")
    ),
    _Page,
)
_LIVE_INSIDE = Prepared(
    union_all(
        select(PAGE.id).where(PAGE.folder_id == bindparam("folder_id"), ~PAGE.deleted),
        select(FOLDER.id).where(FOLDER.parent_id == bindparam("folder_id"), ~FOLDER.deleted),
    ),
    int,
)
_THIS: ColumnElement[int] = bindparam("page_id")
_OWN: ColumnElement[int] = bindparam("site_id")
_FRAMED = PAGE.id.table.alias().c
_NAMED_ELSEWHERE = Prepared(
    union_all(
        select(SITE.id).where(or_(*(SITE[name] == _THIS for name in _NAMED)), SITE.id != _OWN),
        select(PAGE.id).where(PAGE.original_id == _THIS, PAGE.id != _THIS, _OWN == 0),
        select(FOLDER.id).where(FOLDER.index_page_id == _THIS, FOLDER.site_id != _OWN),
        select(AREA.id)
        .join(PAGE.id.table, PAGE.id == AREA.page_id)
        .join(_FRAMED.id.table, _FRAMED.id == AREA.framed_id, isouter=True)
        .where(
            or_(AREA.page_id == _THIS, AREA.framed_id == _THIS),
            PAGE.site_id != func.coalesce(AREA.site_id, _FRAMED.site_id),
        ),
    ),
    int,
)


def page_fits(call: Call, row: Row, written: Written, since: datetime) -> str | None:
    """Tell what is in the way of a page: its place, its address, and what names it."""
    connection, page_id = call.connection, row["id"]
    if not written or "site_id" in written:
        site_id = row["site_id"] if written else 0
        if _NAMED_ELSEWHERE.first(connection, page_id=page_id, site_id=site_id):
            return "another page, site or folder has named it meanwhile."
    place = (row["site_id"], row["folder_id"])
    wrong = _misplaced(connection, row, place, written, since)
    if wrong or row["deleted"] or not _is_moved(written):
        return wrong
    return _TAKEN if is_taken(connection, *place, row["code"], page_id=page_id) else None


def folder_fits(call: Call, row: Row, written: Written, since: datetime) -> str | None:
    """Tell what is in the way of a folder: its place, its address, its pages."""
    connection, folder_id = call.connection, row["id"]
    index_id = row["index_page_id"] if "index_page_id" in written else None
    place = (row["site_id"], row["parent_id"])
    wrong = index_id and _unnameable(connection, index_id, row["site_id"], since)
    wrong = wrong or _misplaced(connection, row, place, written, since)
    if wrong or not _is_moved(written):
        return wrong
    if row["deleted"] and _LIVE_INSIDE.first(connection, folder_id=folder_id):
        return "pages or folders that are not in the trash are in it by now."
    if _is_in_itself(connection, folder_id, row["parent_id"]):
        return "it would contain itself by now."
    return _TAKEN if is_taken(connection, *place, row["code"], own_folder=folder_id) else None


def site_fits(call: Call, row: Row, written: Written, since: datetime) -> str | None:
    """Tell what is in the way of a site: its main page, and the others that it names."""
    for name in _NAMED:
        if name in written and row[name]:
            named = _unnameable(call.connection, row[name], row["id"], since)
            if named:
                return named
    return None


def area_fits(call: Call, row: Row, written: Written, since: datetime) -> str | None:
    """Tell what is in the way of an area: its page, which is of the site whose frame it is in."""
    if not written:
        return None
    site_id = row["site_id"]
    if not site_id:
        framed = _PAGE.first(call.connection, page_id=row["framed_id"])
        site_id = framed and framed.site_id
    return _unnameable(call.connection, row["page_id"], site_id, since)


def special_page_fits(call: Call, row: Row, written: Written, since: datetime) -> str | None:
    """Tell what is in the way of a special page: one that has left its site is none."""
    page = _PAGE.first(call.connection, page_id=row["page_id"])
    if not written or page is None:
        return None
    if page.site_id != row["site_id"] and page.modified_at <= since:
        return None
    return _unnameable(call.connection, row["page_id"], row["site_id"], since)


def _is_moved(written: Written) -> bool:
    return "code" in written or not _WHERE.isdisjoint(written)


def _misplaced(
    connection: Connection,
    row: Row,
    place: tuple[int, int | None],
    written: Written,
    since: datetime,
) -> str | None:
    """Tell what is wrong with where a page or folder is; its site is locked until the call ends."""
    site_id, folder_id = place
    if not _is_moved(written):
        return None
    lock_sites(connection, [site_id])
    if "site_id" in written:
        (trashed_at,) = _SITE.first(connection, site_id=site_id) or (None,)
        if _is_since(trashed_at, since):
            return "its site is in the trash by now."
    if folder_id is None or _WHERE.isdisjoint(written):
        return None
    folder = _FOLDER.first(connection, folder_id=folder_id)
    if folder is None or folder.site_id != site_id:
        return "its folder is of another site by now."
    if not row["deleted"] and in_trash(connection, folder_id):
        return "its folder is in the trash by now."
    return None


def _is_in_itself(connection: Connection, folder_id: int, parent_id: int | None) -> bool:
    """Tell whether a folder is among those around it: an undo has put it there already."""
    seen = {folder_id}
    while parent_id is not None:
        if parent_id in seen:
            return True
        seen.add(parent_id)
        parent = _FOLDER.first(connection, folder_id=parent_id)
        parent_id = None if parent is None else parent.parent_id
    return False


def _unnameable(
    connection: Connection, page_id: int, site_id: int | None, since: datetime
) -> str | None:
    """Tell why a site, or what is its own, cannot name a page."""
    lock_referenced_pages(connection, [page_id])
    page = _PAGE.first(connection, page_id=page_id)
    if page is None:
        return f"the page {page_id} is gone."
    if page.site_id != site_id:
        return f"the page {page_id} is of another site by now."
    if _is_since(page.trashed_at, since):
        return f"the page {page_id} is in the trash by now."
    return None


def _is_since(trashed_at: datetime | None, since: datetime) -> bool:
    return trashed_at is not None and trashed_at > since
