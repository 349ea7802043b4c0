"""Reads and writes the rows of folders, with the caller's rights, and checks free addresses."""

import functools
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, insert, select, update

from landyard import Call, Prepared
from landyard_landing import authorship, errors, rights, sites, tables
from landyard_sites.places.sites import HeldSite

NO_FOLDER = "Folder not found or access to it is denied."


class ViewedFolder(Struct, frozen=True):
    """A folder of a site that the caller may view."""

    id: int
    site_id: int
    parent_id: int | None
    code: str
    title: str
    active: bool
    deleted: bool


_THIS = tables.FOLDER.id == bindparam("folder_id")
_FIND = Prepared(
    select(*(tables.FOLDER[name] for name in ViewedFolder.__struct_fields__)).where(_THIS),
    ViewedFolder,
)
_ADD = Prepared(insert(tables.FOLDER.id.table).returning(tables.FOLDER.id), int)
_SAVE = update(tables.FOLDER.id.table).where(_THIS)
_PARENTS = Prepared(
    select(tables.FOLDER.id, tables.FOLDER.parent_id).where(
        tables.FOLDER.site_id == bindparam("site_id")
    )
)


def require_folder(
    call: Call, folder_id: int, scope: str | None, right: rights.Right
) -> ViewedFolder:
    """Return a folder, in the trash or not, on whose site the caller has `right`.

    Raises `AccessDenied`; the site becomes the call's subject.
    """
    folder = _FIND.first(call.connection, folder_id=folder_id)
    site = sites.find_site(call, 0 if folder is None else folder.site_id, scope)
    if folder is None or site is None:
        raise errors.AccessDenied(NO_FOLDER)
    call.subject = f"site:{site.id}"
    site.require(right)
    return folder


def folder_of(connection: Connection, site_id: int, folder_id: int) -> ViewedFolder:
    """Return a folder of a site outside the trash; raises `AccessDenied` if there is none."""
    folder = _FIND.first(connection, folder_id=folder_id)
    if folder is None or folder.site_id != site_id or sites.in_trash(connection, folder_id):
        raise errors.AccessDenied(NO_FOLDER)
    return folder


def add_folder(call: Call, site_id: int, values: Mapping[str, Any]) -> int:
    """Add a folder to a site and return its id."""
    now, user_id = call.now(), call.actor.user_id
    signed = {"created_at": now, "modified_at": now, "created_by": user_id, "modified_by": user_id}
    folder_id = _ADD.first(call.connection, site_id=site_id, **values, **signed)
    assert folder_id is not None
    return folder_id


def save_folder(call: Call, folder_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a folder, with the caller as its last editor."""
    save = _saving(tuple(sorted(values)))
    save.run(call.connection, folder_id=folder_id, **values, **authorship.changed_by(call))


def is_free_address(
    connection: Connection, site: HeldSite, parent_id: int | None, code: str, folder_id: int = 0
) -> bool:
    """Tell whether a folder may have a code: no other folder or page there has it.

    A folder in the trash keeps its code. At the root of a site with a domain some codes are
    reserved.
    """
    free = sites.free_code(
        *(connection, site.id, parent_id, code),
        own_folder=folder_id,
        is_locked=True,
        check_folder=False,
    )
    return free == code


def folders_inside(connection: Connection, site_id: int, folder_id: int) -> list[int]:
    """Return the ids of a folder and of all folders inside it, at any depth."""
    inner: dict[int, list[int]] = {}
    for each, parent_id in _PARENTS.all(connection, site_id=site_id):
        inner.setdefault(parent_id, []).append(each)
    folder_ids = [folder_id]
    for each in folder_ids:  # the list grows while it is read
        folder_ids += inner.get(each, [])
    return folder_ids


@functools.lru_cache(maxsize=64)
def _saving(columns: tuple[str, ...]) -> Prepared[Any]:  # noqa: ARG001 - the key of the cache
    """Return the prepared update for these columns of a folder."""
    return Prepared(_SAVE)
