"""Writes a page's columns, and moves it to another site or folder, with a free code (P3, P6)."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import bindparam, func, update

from landyard import Call, Prepared, Write
from landyard_content import files
from landyard_landing import authorship, rights, sites, tables

_PAGE = update(tables.PAGE.id.table).where(tables.PAGE.id == bindparam("page_id"))
_PLACED = ("site_id", "folder_id", "code", "modified_at", "modified_by")
# These statements are sent together, so a parameter's name has one meaning in all of them.
_PUT = Prepared(
    _PAGE.values({name: bindparam(f"new_{name}", type_=tables.PAGE[name].type) for name in _PLACED})
)
_NAMED = (tables.SITE.main_page_id, tables.SITE.page_404_id, tables.SITE.page_503_id)
_LEAVE_SITE = Prepared(
    update(tables.SITE.id.table)
    .where(tables.SITE.id == bindparam("old_site"), bindparam("page_id").in_(_NAMED))
    .values({each.name: func.nullif(each, bindparam("page_id")) for each in _NAMED})
)
_FOLDERS = (
    update(tables.FOLDER.id.table)
    .where(
        tables.FOLDER.site_id == bindparam("old_site"),
        tables.FOLDER.index_page_id == bindparam("page_id"),
    )
    .values(index_page_id=None)
)
_LEAVE_FOLDER = Prepared(_FOLDERS.where(tables.FOLDER.id == bindparam("old_folder")))
_LEAVE_FOLDERS = Prepared(_FOLDERS)


def save_page(call: Call, page_id: int, values: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Write columns of a page, signed by the caller."""
    files.use_files(call.connection, str(values.get("additional_fields", "")))
    save = _saving(tuple(sorted(values)))
    save.run(call.connection, page_id=page_id, **values, **authorship.changed_by(call))


def put_page(call: Call, page: rights.HeldPage, place: rights.Place, code: str) -> None:
    """Move the page to `place` with `code`, or a free code made of it (P3); signed by the caller.

    Where the page leaves a site, it is no longer the site's main page, its page for errors 404 or
    503, or an area of its frames. Where it leaves a folder, it is no longer the folder's index page
    (P6). Raises `SiteNotFound`, and `FolderNotFound` for another folder that does not exist.
    """
    connection = call.connection
    free = sites.free_code(
        *(connection, place.site_id, place.folder_id, code, page.id),
        is_locked=place.site_id in sites.lock_sites(connection, {page.site_id, place.site_id}),
        check_folder=place.folder_id != page.folder_id,  # it may stay in one in the trash
    )
    to = {"site_id": place.site_id, "folder_id": place.folder_id, "code": free}
    new = {f"new_{name}": value for name, value in {**to, **authorship.changed_by(call)}.items()}
    writes: list[Write] = [(_PUT, {"page_id": page.id, **new})]
    left = {"page_id": page.id, "old_site": page.site_id}
    if place.site_id != page.site_id:
        sites.leave_areas(connection, [page.id])
        writes += [(_LEAVE_SITE, left), (_LEAVE_FOLDERS, left)]
    elif page.folder_id not in {None, place.folder_id}:
        writes.append((_LEAVE_FOLDER, {**left, "old_folder": page.folder_id}))
    Prepared.run_together(connection, writes)


@functools.lru_cache(maxsize=64)
def _saving(columns: tuple[str, ...]) -> Prepared[Any]:  # noqa: ARG001 - each has its own text
    """Prepare the statement that updates these columns of a page, with its signature."""
    return Prepared(_PAGE)
