"""Publishes a page: copies its draft blocks to the ones that visitors see."""

from datetime import datetime

from sqlalchemy import (
    Connection,
    bindparam,
    delete,
    false,
    insert,
    select,
    true,
    update,
)

from landyard import Prepared, one_of
from landyard_landing.errors import LandingNotExist
from landyard_landing.tables import BLOCK, FOLDER, PAGE, SITE

_COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")

_DRAFT = BLOCK.id.table.alias("draft")
_MOMENT = bindparam("at", type_=BLOCK.modified_at.type)
_USER = bindparam("by", type_=BLOCK.modified_by.type)
_COPY = {name: _DRAFT.c[name] for name in _COPIED} | {"modified_at": _MOMENT, "modified_by": _USER}
_NEW = {"page_id": _DRAFT.c.page_id, "public": true(), "draft_id": _DRAFT.c.id, "deleted": false()}
_NEW |= {"created_at": _MOMENT, "created_by": _USER, **_COPY}
# The database copies what is in blocks: no content comes here.
_ADD = Prepared(
    insert(BLOCK.id.table).from_select(
        [*_NEW],
        select(*_NEW.values()).where(one_of(_DRAFT.c.id, "added")).order_by(_DRAFT.c.id),
        include_defaults=False,
    )
)
_RENEW = Prepared(
    update(BLOCK.id.table)
    .where(one_of(BLOCK.id, "renewed"), _DRAFT.c.id == BLOCK.draft_id)
    .values(_COPY)
)
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
_LOCK_BLOCKS = Prepared(
    select(BLOCK.id, BLOCK.public, BLOCK.draft_id)
    .where(BLOCK.page_id == bindparam("page_id"), BLOCK.deleted.is_(False))
    .order_by(BLOCK.id)
    .with_for_update()
)


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
    blocks = _LOCK_BLOCKS.all(connection, page_id=page_id)
    drafts = {block_id for block_id, public, _ in blocks if not public}
    copy_of = {draft_id: block_id for block_id, public, draft_id in blocks if public}
    if renewed := [copy_id for draft_id, copy_id in copy_of.items() if draft_id in drafts]:
        _RENEW.run(connection, renewed=renewed, at=now, by=user_id)
    if added := drafts.difference(copy_of):
        _ADD.run(connection, added=list(added), at=now, by=user_id)
    if gone := [copy_id for copy_id, public, of in blocks if public and of not in drafts]:
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
