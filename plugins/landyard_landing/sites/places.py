"""Locks a page for a change, writes its columns, or moves it to another place (P3, P6)."""

import functools
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from sqlalchemy import Integer, bindparam, func, select, update

from landyard import Call, Prepared, Write
from landyard_landing.files.records import use_files
from landyard_landing.signature import changed_by
from landyard_landing.sites.areas import leave_areas
from landyard_landing.sites.codes import free_code, lock_site, lock_sites
from landyard_landing.sites.pages import (
    Right,
    SeenPage,
    find_page_with,
    page_holding,
    page_with,
    require_right,
)
from landyard_landing.tables import FOLDER, PAGE, SITE


class Place(Struct, frozen=True):
    """A folder of a site, or with None the site's root."""

    site_id: int
    folder_id: int | None = None


class HeldPage(Struct, frozen=True):
    """A page that is locked until the call ends, with the caller's rights on its site."""

    id: int
    site_id: int
    title: str
    deleted: bool
    folder_id: int | None
    code: str
    additional_fields: dict[str, Any]
    locked: bool
    area: bool
    date_public: datetime | None
    rights: Right

    @property
    def place(self) -> Place:
        """The site and folder of the page."""
        return Place(self.site_id, self.folder_id)

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the page's site (R3)."""
        require_right(self.rights, right)


_HELD = HeldPage.__struct_fields__[:-1]
_FIND = page_with(*(PAGE[name] for name in _HELD))
_NOW = PAGE.id.table.alias()
# No key of the row is changed, so edits of its blocks, which insert into its history, do not wait.
_HOLD = page_holding(
    select(*(_NOW.c[name] for name in _HELD))
    .where(_NOW.c.id == PAGE.id)
    .with_for_update(key_share=True),
    needed=bindparam("needed", type_=Integer),
)
_PAGE = update(PAGE.id.table).where(PAGE.id == bindparam("page_id"))
_PLACED = ("site_id", "folder_id", "code", "modified_at", "modified_by")
# These statements are sent together, so a parameter's name has one meaning in all of them.
_PUT = Prepared(
    _PAGE.values({name: bindparam(f"new_{name}", type_=PAGE[name].type) for name in _PLACED})
)
_NAMED = (SITE.main_page_id, SITE.page_404_id, SITE.page_503_id)
_LEAVE_SITE = Prepared(
    update(SITE.id.table)
    .where(SITE.id == bindparam("old_site"), bindparam("page_id").in_(_NAMED))
    .values({each.name: func.nullif(each, bindparam("page_id")) for each in _NAMED})
)
_FOLDERS = (
    update(FOLDER.id.table)
    .where(FOLDER.site_id == bindparam("old_site"), FOLDER.index_page_id == bindparam("page_id"))
    .values(index_page_id=None)
)
_LEAVE_FOLDER = Prepared(_FOLDERS.where(FOLDER.id == bindparam("old_folder")))
_LEAVE_FOLDERS = Prepared(_FOLDERS)


def hold_page(
    call: Call,
    page_id: int,
    scope: str | None,
    needs: Right,
    judge: Callable[[SeenPage], object] | None = None,
    *,
    trash: bool = False,
    every_type: bool = False,
) -> HeldPage:
    """Find a page as `find_page` does, and lock it for a caller with the rights `needs`.

    The rights are checked before the lock: a caller who may not change the page must not keep
    other calls waiting. `judge` gets the page first, and may raise an error of its own. The look-up
    starts again if the page was moved or trashed before it was locked.
    """
    values: dict[str, Any] = {"needed": needs.value, "is_admin": call.actor.admin}
    query = _HOLD
    if call.connection.dialect.name == "sqlite":  # SQLite has one writer at a time
        query, values = _FIND, {}
    values |= {"trash": trash, "every_type": every_type}
    while True:
        page, held = find_page_with(call, query, page_id, scope, **values)
        if judge is not None:
            judge(page)
        page.require(needs)
        if held[0] is not None:
            now = HeldPage(*held, page.rights)  # type: ignore[call-arg]  # mypy: one value
            if (now.site_id, now.deleted) == (page.site_id, page.deleted):
                return now


def read_additional_fields(call: Call, page_id: int, scope: str | None) -> dict[str, Any]:
    """Find a page as `find_page` does, and read its additional fields."""
    page, found = find_page_with(call, _FIND, page_id, scope)
    return HeldPage(*found, page.rights).additional_fields  # type: ignore[call-arg]  # mypy: one value


def save_page(call: Call, page_id: int, values: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Write columns of a page, signed by the caller."""
    use_files(call.connection, str(values.get("additional_fields", "")))
    save = _saving(tuple(sorted(values)))
    save.run(call.connection, page_id=page_id, **values, **changed_by(call))


def put_page(call: Call, page: HeldPage, place: Place, code: str) -> None:
    """Move the page to `place` with `code`, or a free code made of it (P3); signed by the caller.

    Where the page leaves a site, it is no longer the site's main page, its page for errors 404 or
    503, or an area of its frames. Where it leaves a folder, it is no longer the folder's index page
    (P6). Raises `SiteNotFound`, and `FolderNotFound` for another folder that does not exist.
    """
    connection, locked = call.connection, None
    if place.site_id != page.site_id:
        locked = lock_sites(connection, [page.site_id, place.site_id]).get(place.site_id)
    elif place.folder_id is not None and place.folder_id != page.folder_id:
        locked = lock_site(connection, place.site_id, place.folder_id)
    else:  # the page stays in its folder, even in one in the trash, or moves to the root
        locked = lock_sites(connection, [place.site_id]).get(place.site_id)
    free = free_code(connection, place.site_id, place.folder_id, code, page.id, locked=locked)
    to = {"site_id": place.site_id, "folder_id": place.folder_id, "code": free}
    new = {f"new_{name}": value for name, value in {**to, **changed_by(call)}.items()}
    writes: list[Write] = [(_PUT, {"page_id": page.id, **new})]
    left = {"page_id": page.id, "old_site": page.site_id}
    if place.site_id != page.site_id:
        leave_areas(connection, [page.id])
        writes += [(_LEAVE_SITE, left), (_LEAVE_FOLDERS, left)]
    elif page.folder_id not in {None, place.folder_id}:
        writes.append((_LEAVE_FOLDER, {**left, "old_folder": page.folder_id}))
    Prepared.run_together(connection, writes)


@functools.lru_cache(maxsize=64)
def _saving(columns: tuple[str, ...]) -> Prepared[Any]:  # noqa: ARG001 - each has its own text
    """Prepare the statement that updates these columns of a page, with its signature."""
    return Prepared(_PAGE)
