"""The trash of folders: moving a folder there with its content, and its restore (P8, P9)."""

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared, one_of
from landyard_content.pages import restore_page
from landyard_landing import authorship, events, rights, sites, tables
from landyard_sites.places.folders import ViewedFolder, folders_inside, require_folder, save_folder
from landyard_sites.places.sites import hold_site

_INSIDE = one_of(tables.PAGE.folder_id, "folder_ids")
# All calls lock pages before their folders.
_PAGES = Prepared(
    select(tables.PAGE.id, tables.PAGE.area)
    .where(_INSIDE, ~tables.PAGE.deleted)
    .order_by(tables.PAGE.id)
    .with_for_update(key_share=True)
)
_TRASHED_PAGES = Prepared(
    select(tables.PAGE.id)
    .where(_INSIDE, tables.PAGE.deleted, tables.PAGE.deleted_at == bindparam("since"))
    .order_by(tables.PAGE.id)
    .with_for_update(key_share=True),
    int,
)
_SINCE = Prepared(
    select(tables.FOLDER.deleted_at).where(tables.FOLDER.id == bindparam("folder_id"))
)
_TRASH_PAGES = Prepared(update(tables.PAGE.id.table).where(one_of(tables.PAGE.id, "page_ids")))
_FOLDERS = (
    select(tables.FOLDER.id)
    .where(one_of(tables.FOLDER.id, "folder_ids"))
    .order_by(tables.FOLDER.id)
)
_LIVE = Prepared(_FOLDERS.where(~tables.FOLDER.deleted), int)
_TRASHED = Prepared(
    _FOLDERS.where(tables.FOLDER.deleted, tables.FOLDER.deleted_at == bindparam("since")), int
)
_SAVE = Prepared(update(tables.FOLDER.id.table).where(one_of(tables.FOLDER.id, "these")))


def mark_folder(call: Call, folder_id: int, scope: str | None, *, mark: bool) -> bool:
    """Move a folder to the trash or restore it, unless it is in that state already.

    False, and nothing is done, if it contains an area of a site's template. Raises `AccessDenied`.
    """
    folder = require_folder(call, folder_id, scope, rights.Right.DELETE)
    if folder.deleted == mark:
        return True
    if mark:
        return _trash(call, folder)
    _restore(call, folder)
    return True


def _trash(call: Call, folder: ViewedFolder) -> bool:
    """Move a folder to the trash with the folders and pages in it, all made inactive."""
    inside = folders_inside(call.connection, folder.site_id, folder.id)
    _PAGES.all(call.connection, folder_ids=inside)  # all calls lock pages before their site
    hold_site(call, folder.site_id, None, rights.Right.DELETE, trash=True, every_type=True)
    # The site is locked now, so nothing can enter the folder. Read its content again.
    inside = folders_inside(call.connection, folder.site_id, folder.id)
    pages = _PAGES.all(call.connection, folder_ids=inside)
    if any(area for _, area in pages):
        return False
    page_ids = [page_id for page_id, _ in pages]
    values = {"deleted": True, "deleted_at": call.now(), "active": False} | authorship.changed_by(
        call
    )
    if page_ids:
        _TRASH_PAGES.run(call.connection, page_ids=page_ids, **values)
    folder_ids = _LIVE.all(call.connection, folder_ids=inside)
    _SAVE.run(call.connection, these=folder_ids, **values)
    events.announce_pages(call, "trashed", page_ids)
    events.announce_folders(call, "trashed", folder.site_id, folder_ids)
    return True


def _restore(call: Call, folder: ViewedFolder) -> None:
    """Restore a folder with what was trashed together with it; all stay inactive.

    If its parent folder is in the trash, it is moved to the site's root (P8).
    """
    (since,) = _SINCE.first(call.connection, folder_id=folder.id) or (None,)
    inside = folders_inside(call.connection, folder.site_id, folder.id)
    trashed_together = {"folder_ids": inside, "since": since}
    page_ids = _TRASHED_PAGES.all(call.connection, **trashed_together)
    folder_ids = _TRASHED.all(call.connection, **trashed_together)
    values = {"deleted": False, "deleted_at": None, "active": False} | authorship.changed_by(call)
    _SAVE.run(call.connection, these=folder_ids, **values)
    if sites.in_trash(call.connection, folder.parent_id):
        code = sites.free_code(
            call.connection, folder.site_id, None, folder.code, own_folder=folder.id
        )
        save_folder(call, folder.id, {"parent_id": None, "code": code})
    for page_id in page_ids:
        restore_page(call.connection, page_id, call.now(), call.actor.user_id)
    events.announce_pages(call, "restored", page_ids)
    events.announce_folders(call, "restored", folder.site_id, folder_ids)
