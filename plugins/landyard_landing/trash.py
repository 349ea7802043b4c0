"""The trash: pages go into it, come back, or are removed for good (P7 to P10)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, delete, select, update

from landyard import Call, UnitOfWork
from landyard_landing.codes import free_code
from landyard_landing.files import erase_files
from landyard_landing.filestore import FileStore
from landyard_landing.tables import Block, Folder, Page, Site

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_BLOCK = Block.__table__.c  # type: ignore[attr-defined]
_SITE = Site.__table__.c  # type: ignore[attr-defined]
_FOLDER = Folder.__table__.c  # type: ignore[attr-defined]
_AT_ONCE = 500

_SIGNED: dict[str, Any] = {"modified_at": bindparam("now"), "modified_by": bindparam("user_id")}
_TRASH = (
    update(_PAGE.id.table)
    .where(_PAGE.id == bindparam("page_id"), _PAGE.deleted.is_(False))
    .values(deleted=True, deleted_at=bindparam("now"), active=False, **_SIGNED)
)
_LOCK_TRASHED = (
    select(_PAGE.site_id, _PAGE.folder_id, _PAGE.code)
    .where(_PAGE.id == bindparam("page_id"), _PAGE.deleted.is_(True))
    .with_for_update(key_share=True)
)
_RESTORE = (
    update(_PAGE.id.table)
    .where(_PAGE.id == bindparam("page_id"))
    .values(deleted=False, deleted_at=None, active=False, code=bindparam("free"), **_SIGNED)
)

_THESE: BindParameter[Any] = bindparam("page_ids", expanding=True)
# Everything is locked before anything is written, pages first, then what refers to them, then
# blocks: in the order in which other calls come by (a new page locks its site, then the block of
# a menu). A page's key is not needed yet, since an edit under way has locked its block and needs
# the page to enter its history.
_LOCKS = (
    select(_PAGE.id).where(_PAGE.id.in_(_THESE)).order_by(_PAGE.id).with_for_update(key_share=True),
    select(_SITE.id)
    .where(_SITE.main_page_id.in_(_THESE))
    .order_by(_SITE.id)
    .with_for_update(key_share=True),
    select(_FOLDER.id)
    .where(_FOLDER.index_page_id.in_(_THESE))
    .order_by(_FOLDER.id)
    .with_for_update(key_share=True),
    select(_BLOCK.id).where(_BLOCK.page_id.in_(_THESE)).order_by(_BLOCK.id).with_for_update(),
)
_FORGET = (
    update(_SITE.id.table).where(_SITE.main_page_id.in_(_THESE)).values(main_page_id=None),
    update(_FOLDER.id.table).where(_FOLDER.index_page_id.in_(_THESE)).values(index_page_id=None),
)
_ERASE = delete(_PAGE.id.table).where(_PAGE.id.in_(_THESE))


def trash_page(connection: Connection, page_id: int, now: datetime, user_id: int) -> None:
    """Put a page into the trash, inactive; its published blocks stay (B17).

    One that is in the trash already stays there since it came (P8).
    """
    connection.execute(_TRASH, {"page_id": page_id, "now": now, "user_id": user_id})


def restore_page(connection: Connection, page_id: int, now: datetime, user_id: int) -> None:
    """Take a page out of the trash: inactive, and under another code if its own was taken (P8, P3).

    One that is not in the trash stays as it is.
    """
    page = connection.execute(_LOCK_TRASHED, {"page_id": page_id}).first()
    if page is None:
        return
    free = free_code(connection, page.site_id, page.folder_id, page.code, page_id)
    connection.execute(_RESTORE, {"page_id": page_id, "free": free, "now": now, "user_id": user_id})


def erase_pages(unit: Call | UnitOfWork, store: FileStore, page_ids: Sequence[int]) -> None:
    """Remove pages for good, with their blocks, history and the files that nothing else uses.

    A site whose main page is among them is left without one, a folder without its index page.
    """
    for first in range(0, len(page_ids), _AT_ONCE):
        some = page_ids[first : first + _AT_ONCE]
        for lock in _LOCKS:
            unit.connection.execute(lock, {"page_ids": some}).all()
        erase_files(unit, store, some)
        for statement in (*_FORGET, _ERASE):
            unit.connection.execute(statement, {"page_ids": some})
