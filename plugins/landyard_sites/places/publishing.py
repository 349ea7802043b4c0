"""Publishing and hiding of whole sites with all their pages, and of folders."""

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared
from landyard_landing import (
    PAGE,
    AccessDenied,
    FolderPublished,
    FolderUnpublished,
    PagePublished,
    PageUnpublished,
    Right,
    SitePublished,
    SiteUnpublished,
    announce,
    announce_site,
    changed_by,
    in_trash,
    open_folders,
    publish,
    require_room,
)
from landyard_sites.places.folders import NO_FOLDER, require_folder, save_folder
from landyard_sites.places.sites import hold_site, require_site, save_site

_PAGES = (
    select(PAGE.id)
    .where(PAGE.site_id == bindparam("site_id"), ~PAGE.deleted)
    .order_by(PAGE.id)
    .with_for_update(key_share=True)
)
_ALL, _SHOWN = Prepared(_PAGES, int), Prepared(_PAGES.where(PAGE.active), int)
_HIDE = Prepared(
    update(PAGE.id.table).where(
        PAGE.site_id == bindparam("of_site"), PAGE.active.is_(True), PAGE.deleted.is_(False)
    )
)


def publish_site(call: Call, site_id: int, scope: str | None) -> None:
    """Publish a site and all its pages outside the trash.

    Raises `AccessDenied`, `PublicSiteReached` or `PublicPageReached`.
    """
    require_site(call, site_id, scope, Right.PUBLISH)
    page_ids = _ALL.all(call.connection, site_id=site_id)
    hold_site(call, site_id, scope, Right.PUBLISH)  # all calls lock pages before their site
    require_room(call, site_id, page_ids)
    save_site(call, site_id, {"active": True})
    for page_id in page_ids:
        publish(call.connection, page_id, call.now(), call.actor.user_id)
        announce(call, PagePublished, page_id)
    announce_site(call, SitePublished, site_id)


def hide_site(call: Call, site_id: int) -> None:
    """Hide a site and all its pages; their published blocks stay (B17)."""
    page_ids = _SHOWN.all(call.connection, site_id=site_id)
    save_site(call, site_id, {"active": False})
    _HIDE.run(call.connection, of_site=site_id, active=False, **changed_by(call))
    for page_id in page_ids:
        announce(call, PageUnpublished, page_id)
    announce_site(call, SiteUnpublished, site_id)


def show_folder(call: Call, folder_id: int, scope: str | None, *, shown: bool) -> None:
    """Make a folder active with all its parent folders, or make it inactive.

    Raises `AccessDenied`, also for a folder in the trash.
    """
    folder = require_folder(call, folder_id, scope, Right.PUBLISH)
    if in_trash(call.connection, folder.id):
        raise AccessDenied(NO_FOLDER)
    if shown:
        open_folders(call.connection, folder.id, call.now(), call.actor.user_id)
    else:
        save_folder(call, folder.id, {"active": False})
    kind = FolderPublished if shown else FolderUnpublished
    announce_site(call, kind, folder.site_id, folder_id=folder.id)
