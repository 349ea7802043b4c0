"""Changes pages: locks one, writes its columns, puts it in another place (P3, P6)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select, update

from landyard import Call
from landyard_landing.files.records import use_files
from landyard_landing.sites.codes import free_code
from landyard_landing.sites.pages import SeenPage, find_page
from landyard_landing.tables import FOLDER, PAGE, SITE


class Place(Struct, frozen=True):
    """Where a page is: in a folder of a site, or at the site's root."""

    site_id: int
    folder_id: int | None = None


class HeldPage(Struct, frozen=True):
    """A page that a call changes; its row is locked until the call ends."""

    id: int
    site_id: int
    folder_id: int | None
    code: str
    title: str
    additional_fields: dict[str, Any]
    deleted: bool
    locked: bool
    area: bool

    @property
    def place(self) -> Place:
        """Where the page is."""
        return Place(self.site_id, self.folder_id)


# No key of the row is changed: edits of its blocks, which enter its history, need not wait.
_HOLD = (
    select(*(PAGE[name] for name in HeldPage.__struct_fields__))
    .where(PAGE.id == bindparam("id"))
    .with_for_update(key_share=True)
)
# By id, and before anything is written: two pages that change sites must not wait in a circle.
_LOCK_SITES = (
    select(SITE.id)
    .where(SITE.id.in_(bindparam("site_ids", expanding=True)))
    .order_by(SITE.id)
    .with_for_update(key_share=True)
)
_PUT = (
    update(PAGE.id.table)
    .where(PAGE.id == bindparam("page_id"))
    .values(
        site_id=bindparam("to_site"), folder_id=bindparam("to_folder"), code=bindparam("to_code")
    )
)
_LEAVE_SITE = (
    update(SITE.id.table)
    .where(SITE.id == bindparam("old_site"), SITE.main_page_id == bindparam("page_id"))
    .values(main_page_id=None)
)
_LEAVE_FOLDERS = (
    update(FOLDER.id.table)
    .where(FOLDER.site_id == bindparam("old_site"), FOLDER.index_page_id == bindparam("page_id"))
    .values(index_page_id=None)
)
_LEAVE_FOLDER = _LEAVE_FOLDERS.where(FOLDER.id == bindparam("old_folder"))


def hold_page(
    call: Call,
    page_id: int,
    scope: str | None,
    judge: Callable[[SeenPage], object],
    *,
    trash: bool = False,
    every_type: bool = False,
) -> HeldPage:
    """Find a page as `find_page` does, let `judge` refuse the caller, then lock it and read it.

    Rights come first: a caller who may not change the page must not keep others waiting. Begins
    again if the page was moved or trashed before it was locked.
    """
    while True:
        page = find_page(call, page_id, scope, trash=trash, every_type=every_type)
        judge(page)
        row = call.connection.execute(_HOLD, {"id": page.id}).first()
        if row is not None and (row.site_id, row.deleted) == (page.site_id, page.deleted):
            return HeldPage(*row)


def save_page(call: Call, page_id: int, values: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Write columns of a page, and that the caller has changed it."""
    signed = {"modified_at": call.now(), "modified_by": call.actor.user_id}
    use_files(call.connection, str(values.get("additional_fields", "")))
    page = update(PAGE.id.table).where(PAGE.id == page_id)
    call.connection.execute(page.values({**values, **signed}))


def put_page(connection: Connection, page: HeldPage, place: Place, code: str) -> None:
    """Put the page at `place` under `code`, or under one made of it where that is taken (P3).

    It stops being the main page of the site and the index page of the folders it leaves (P6).
    """
    if place.site_id != page.site_id:
        connection.execute(_LOCK_SITES, {"site_ids": [page.site_id, place.site_id]}).all()
    free = free_code(connection, place.site_id, place.folder_id, code, page.id)
    left = {"page_id": page.id, "old_site": page.site_id}
    if place.site_id != page.site_id:
        connection.execute(_LEAVE_SITE, left)
        connection.execute(_LEAVE_FOLDERS, left)
    elif page.folder_id not in {None, place.folder_id}:
        connection.execute(_LEAVE_FOLDER, {**left, "old_folder": page.folder_id})
    to = {"to_site": place.site_id, "to_folder": place.folder_id, "to_code": free}
    connection.execute(_PUT, {"page_id": page.id, **to})
