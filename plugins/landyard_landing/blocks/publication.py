"""Publishes a page: copies its draft blocks to the ones that visitors see."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from landyard import Prepared, one_of
from landyard_landing.errors import LandingNotExist
from landyard_landing.tables import BLOCK, FOLDER, PAGE, SITE

_COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")

_ADD = Prepared(insert(BLOCK.id.table))
_RENEW = Prepared(update(BLOCK.id.table).where(BLOCK.id == bindparam("copy_id")))
_REMOVE = Prepared(delete(BLOCK.id.table).where(one_of(BLOCK.id, "gone")))
_PAGE = update(PAGE.id.table).where(PAGE.id == bindparam("page_id"))
_SHOW, _HIDE = Prepared(_PAGE), Prepared(_PAGE)
_LOCK = Prepared(
    select(PAGE.site_id, PAGE.folder_id, SITE.active)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(PAGE.id == bindparam("page_id"), PAGE.deleted.is_(False), SITE.deleted.is_(False))
    .with_for_update(key_share=True, of=PAGE.id.table)
)
_OPEN_SITE = Prepared(update(SITE.id.table).where(SITE.id == bindparam("site_id"), ~SITE.deleted))
_THIS_FOLDER = FOLDER.id == bindparam("folder_id")
_FOLDER = Prepared(select(FOLDER.parent_id, FOLDER.active).where(_THIS_FOLDER))
_OPEN_FOLDER = Prepared(update(FOLDER.id.table).where(_THIS_FOLDER, ~FOLDER.deleted))
# Locked, so that an edit under way is either wholly in the copy or wholly in the next one.
_LOCK_BLOCKS = (
    select(BLOCK.id, BLOCK.draft_id)
    .where(
        BLOCK.page_id == bindparam("page_id"),
        BLOCK.public == bindparam("public"),
        BLOCK.deleted.is_(False),
    )
    .order_by(BLOCK.id)
    .with_for_update()
)
_COPIES = Prepared(_LOCK_BLOCKS)
_DRAFTS = Prepared(_LOCK_BLOCKS.add_columns(*(BLOCK[name] for name in _COPIED)))


def publish(connection: Connection, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Copy the page's draft to its published blocks and show it (B1).

    A published block keeps its id as long as its draft lives. The page's folder, those around it
    and its site are made active. Raises `LandingNotExist`.
    """
    site_id, folder_id, site_active = _lock(connection, page_id)
    signed = {"modified_at": now, "modified_by": user_id}
    if not site_active:
        _OPEN_SITE.run(connection, site_id=site_id, active=True, **signed)
    open_folders(connection, folder_id, now, user_id)
    drafts = _DRAFTS.all(connection, page_id=page_id, public=False)
    copies = _COPIES.all(connection, page_id=page_id, public=True)
    copy_of = {draft_id: copy_id for copy_id, draft_id in copies}
    made = {"page_id": page_id, "public": True, "created_at": now, "created_by": user_id}
    added: list[dict[str, Any]] = []
    renewed: list[dict[str, Any]] = []
    for draft_id, _, *copied in drafts:
        values = dict(zip(_COPIED, copied, strict=True)) | signed
        if draft_id in copy_of:
            renewed.append({**values, "copy_id": copy_of[draft_id]})
        else:
            added.append({**values, **made, "draft_id": draft_id})
    _RENEW.run_each(connection, renewed)
    _ADD.run_each(connection, added)
    alive = {draft[0] for draft in drafts}
    if gone := [copy_id for copy_id, draft_id in copies if draft_id not in alive]:
        _REMOVE.run(connection, gone=gone)
    shown = {"published": True, "active": True, "date_public": now}
    _SHOW.run(connection, page_id=page_id, **shown, **signed)


def unpublish(connection: Connection, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Hide the page; its published blocks stay (B17). Raises `LandingNotExist`."""
    _lock(connection, page_id)
    _HIDE.run(connection, page_id=page_id, active=False, modified_at=now, modified_by=user_id)


def open_folders(
    connection: Connection, folder_id: int | None, now: datetime, user_id: int = 0
) -> None:
    """Make a folder active, and all folders around it; one in the trash stays inactive (P8)."""
    while folder_id is not None:
        parent_id, active = _FOLDER.first(connection, folder_id=folder_id) or (None, True)
        if not active:
            signed = {"modified_at": now, "modified_by": user_id}
            _OPEN_FOLDER.run(connection, folder_id=folder_id, active=True, **signed)
        folder_id = parent_id


def _lock(connection: Connection, page_id: int) -> tuple[int, int | None, bool]:
    """Lock the page; return its site, its folder and whether the site is active."""
    found: tuple[int, int | None, bool] | None = _LOCK.first(connection, page_id=page_id)
    if found is None:
        raise LandingNotExist
    return found
