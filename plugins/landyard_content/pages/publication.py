"""Shows a page by copying its draft to what visitors see; hides it, and keeps that copy."""

from datetime import datetime

from sqlalchemy import (
    BindParameter,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    false,
    insert,
    select,
    true,
    update,
)

from landyard import Prepared, Write
from landyard_landing.errors import LandingNotExist
from landyard_landing.sites import free_code, in_trash
from landyard_landing.tables import BLOCK, FOLDER, PAGE, SITE

_COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")

_DRAFT = BLOCK.id.table.alias("draft").c
_THIS: BindParameter[int] = bindparam("this_page")
_OF_DRAFTS = and_(_DRAFT.page_id == _THIS, _DRAFT.public.is_(False), _DRAFT.deleted.is_(False))
_OF_COPIES = and_(BLOCK.page_id == _THIS, BLOCK.public.is_(True), BLOCK.deleted.is_(False))
_PAIRED = BLOCK.draft_id == _DRAFT.id
_MOMENT = bindparam("at", type_=BLOCK.modified_at.type)
_USER = bindparam("by", type_=BLOCK.modified_by.type)
_SIGNED = {"modified_at": _MOMENT, "modified_by": _USER}
_COPY = {name: _DRAFT[name] for name in _COPIED} | _SIGNED
_NEW = {"page_id": _DRAFT.page_id, "public": true(), "draft_id": _DRAFT.id, "deleted": false()}
_NEW |= {"created_at": _MOMENT, "created_by": _USER, **_COPY}
# The database copies the blocks; their content does not pass through this process.
_RENEW = Prepared(update(BLOCK.id.table).where(_OF_COPIES, _OF_DRAFTS, _PAIRED).values(_COPY))
_ADD = Prepared(
    insert(BLOCK.id.table).from_select(
        [*_NEW],
        select(*_NEW.values())
        .where(_OF_DRAFTS, ~exists().where(_OF_COPIES, _PAIRED))
        .order_by(_DRAFT.id),
        include_defaults=False,
    )
)
_REMOVE = Prepared(delete(BLOCK.id.table).where(_OF_COPIES, ~exists().where(_OF_DRAFTS, _PAIRED)))
_PAGE = update(PAGE.id.table).where(PAGE.id == bindparam("this_page"))
_HIDE, _MOVE = Prepared(_PAGE), Prepared(_PAGE)
_CODE = Prepared(select(PAGE.code).where(PAGE.id == bindparam("this_page")), str)
_SHOW = Prepared(
    _PAGE.values({"published": True, "active": True, "date_public": _MOMENT, **_SIGNED})
)
_LOCK = Prepared(
    select(PAGE.site_id, PAGE.folder_id, SITE.active)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(PAGE.id == bindparam("this_page"), PAGE.deleted.is_(False), SITE.deleted.is_(False))
    .with_for_update(key_share=True, of=PAGE.id.table)
)
_OPEN_SITE = Prepared(update(SITE.id.table).where(SITE.id == bindparam("site_id"), ~SITE.deleted))
_THIS_FOLDER = FOLDER.id == bindparam("folder_id")
_FOLDER = Prepared(select(FOLDER.parent_id, FOLDER.active).where(_THIS_FOLDER))
_OPEN_FOLDER = Prepared(update(FOLDER.id.table).where(_THIS_FOLDER, ~FOLDER.deleted))
# Locked, so that an edit under way is wholly in this copy or wholly in the next.
_LOCK_BLOCKS = Prepared(
    select(BLOCK.id)
    .where(BLOCK.page_id == _THIS, BLOCK.deleted.is_(False))
    .order_by(BLOCK.id)
    .with_for_update()
)


def publish(connection: Connection, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Copy the page's draft to its published blocks and show it (B1).

    A published block keeps its id as long as its draft exists. The page's folder, the folders above
    and the site become active; a page in a folder in the trash moves to the site's root (P8).
    Raises `LandingNotExist`.
    """
    site_id, folder_id, site_active = _lock(connection, page_id)
    if in_trash(connection, folder_id):  # left by an older version or a repair of the database
        _leave_folder(connection, page_id, site_id)
        folder_id = None
    if not site_active:
        _OPEN_SITE.run(
            connection, site_id=site_id, active=True, modified_at=now, modified_by=user_id
        )
    open_folders(connection, folder_id, now, user_id)
    if connection.dialect.name != "sqlite":  # SQLite has one writer at a time
        _LOCK_BLOCKS.all(connection, this_page=page_id)
    given = {"this_page": page_id, "at": now, "by": user_id}
    writes: list[Write] = [(each, given) for each in (_RENEW, _ADD, _SHOW)]
    Prepared.run_together(connection, [*writes, (_REMOVE, {"this_page": page_id})])


def unpublish(connection: Connection, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Hide the page; its published blocks stay (B17). Raises `LandingNotExist`."""
    _lock(connection, page_id)
    _HIDE.run(connection, this_page=page_id, active=False, modified_at=now, modified_by=user_id)


def open_folders(
    connection: Connection, folder_id: int | None, now: datetime, user_id: int = 0
) -> None:
    """Make a folder and all folders above it active; those in the trash stay inactive (P8)."""
    while folder_id is not None:
        parent_id, active = _FOLDER.first(connection, folder_id=folder_id) or (None, True)
        if not active:
            signed = {"modified_at": now, "modified_by": user_id}
            _OPEN_FOLDER.run(connection, folder_id=folder_id, active=True, **signed)
        folder_id = parent_id


def _leave_folder(connection: Connection, page_id: int, site_id: int) -> None:
    """Move a page to its site's root."""
    [code] = _CODE.all(connection, this_page=page_id)
    free = free_code(connection, site_id, None, code, page_id)
    _MOVE.run(connection, this_page=page_id, folder_id=None, code=free)


def _lock(connection: Connection, page_id: int) -> tuple[int, int | None, bool]:
    """Lock the page; return its site, its folder and whether the site is active."""
    found: tuple[int, int | None, bool] | None = _LOCK.first(connection, this_page=page_id)
    if found is None:
        raise LandingNotExist
    return found
