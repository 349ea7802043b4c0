"""Trashes and restores pages, and lists the trash (P7 to P9)."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    bindparam,
    exists,
    func,
    literal_column,
    select,
    update,
)

from landyard import Prepared
from landyard_landing.rights import HeldPage
from landyard_landing.sites import free_code, in_trash, lock_sites
from landyard_landing.tables import PAGE, SITE

_PAGE = update(PAGE.id.table).where(PAGE.id == bindparam("page_id"))
_OTHER = PAGE.id.table.alias().c
_IS_NEEDED_MAIN = exists().where(
    SITE.id == PAGE.site_id,
    SITE.main_page_id == PAGE.id,
    exists().where(
        _OTHER.site_id == SITE.id, _OTHER.id != SITE.main_page_id, _OTHER.deleted.is_(False)
    ),
)
_NOT_IN_TRASH = _PAGE.where(PAGE.deleted.is_(False))
_TRASH = Prepared(_NOT_IN_TRASH)
_TRASH_UNNEEDED = Prepared(_NOT_IN_TRASH.where(~_IS_NEEDED_MAIN))
_RESTORE = Prepared(_PAGE)
_LOCK_TRASHED = Prepared(
    select(PAGE.site_id, PAGE.folder_id, PAGE.code)
    .where(PAGE.id == bindparam("page_id"), PAGE.deleted.is_(True))
    .with_for_update(key_share=True)
)

# Word for word as in the trash's index: otherwise SQLite would read all pages.
_IN_TRASH: ColumnElement[bool] = literal_column("landing_page.deleted")
# A world file may have a page in the trash without a date.
_TRASHED_AT = func.coalesce(PAGE.deleted_at, PAGE.modified_at, type_=PAGE.deleted_at.type)
_LIST = (
    select(PAGE.id, PAGE.site_id, PAGE.title, _TRASHED_AT.label("trashed_at"))
    .where(_IN_TRASH)
    .order_by(_TRASHED_AT, PAGE.id)
)
# In the index's order, so that two purges lock in the same order.
DUE = (
    select(PAGE.id)
    .where(_IN_TRASH, bindparam("before", type_=PAGE.deleted_at.type) >= _TRASHED_AT)
    .order_by(PAGE.deleted_at, PAGE.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(key_share=True)
)
"""Pages whose time in the trash is over, locked; a page that is restored meanwhile is left out."""


class TrashSettings(Struct, frozen=True):
    """`retention_days`: how long a page, folder or site stays in the trash; 0 is for ever (P9)."""

    retention_days: Annotated[int, Meta(ge=0, le=36500)] = 30

    def goes_at(self, trashed_at: datetime) -> datetime | None:
        """Return when a page trashed at `trashed_at` is erased; None for never."""
        return trashed_at + timedelta(days=self.retention_days) if self.retention_days else None


class TrashedPage(Struct, frozen=True):
    """A page in the trash, with the moment when it was trashed."""

    id: int
    site_id: int
    title: str
    trashed_at: datetime


def trash_page(
    connection: Connection,
    page_id: int,
    now: datetime,
    user_id: int,
    *,
    unless_needed: bool = False,
) -> bool:
    """Trash a page and make it inactive; return whether it was trashed.

    Its published blocks stay (B17). A page that is in the trash already keeps its date (P8).
    `unless_needed` refuses the main page of a site that has other pages outside the trash (P7).
    """
    values = {"deleted": True, "deleted_at": now, "active": False}
    values |= {"modified_at": now, "modified_by": user_id}
    trash = _TRASH_UNNEEDED if unless_needed else _TRASH
    return trash.run(connection, page_id=page_id, **values) > 0


def restore_page(
    connection: Connection, page_id: int, now: datetime, user_id: int, held: HeldPage | None = None
) -> None:
    """Restore a page from the trash: inactive, with another code if its own is taken (P8, P3).

    It moves to the site's root where its folder, or a folder above, is in the trash. A page outside
    the trash is not changed. `held` is the page, where the call has locked it already.
    """
    if held is None:
        page = _LOCK_TRASHED.first(connection, page_id=page_id)
    else:
        page = (held.site_id, held.folder_id, held.code) if held.deleted else None
    if page is None:
        return
    site_id, folder_id, old_code = page
    is_locked = site_id in lock_sites(connection, [site_id])
    if in_trash(connection, folder_id):
        folder_id = None
    code = free_code(
        *(connection, site_id, folder_id, old_code, page_id),
        is_locked=is_locked,
        check_folder=False,
    )
    values = {"deleted": False, "deleted_at": None, "active": False, "code": code}
    values |= {"folder_id": folder_id}
    _RESTORE.run(connection, page_id=page_id, **values, modified_at=now, modified_by=user_id)


def list_trash(connection: Connection) -> list[TrashedPage]:
    """List the pages in the trash, the oldest first."""
    return [TrashedPage(*row) for row in connection.execute(_LIST)]
