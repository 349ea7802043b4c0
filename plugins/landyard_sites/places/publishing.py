"""Publishing and hiding of whole sites with all their pages, and of folders."""

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared
from landyard_content import pages
from landyard_landing import authorship, errors, events, rights, sites, tables
from landyard_sites.places.folders import NO_FOLDER, require_folder, save_folder
from landyard_sites.places.sites import hold_site, require_site, save_site

_PAGES = (
    select(tables.PAGE.id)
    .where(tables.PAGE.site_id == bindparam("site_id"), ~tables.PAGE.deleted)
    .order_by(tables.PAGE.id)
    .with_for_update(key_share=True)
)
_ALL, _SHOWN = Prepared(_PAGES, int), Prepared(_PAGES.where(tables.PAGE.active), int)
_HIDE = Prepared(
    update(tables.PAGE.id.table).where(
        tables.PAGE.site_id == bindparam("of_site"),
        tables.PAGE.active.is_(True),
        tables.PAGE.deleted.is_(False),
    )
)


def publish_site(call: Call, site_id: int, scope: str | None) -> None:
    """Publish a site and all its pages outside the trash.

    Raises `AccessDenied`, `PublicSiteReached` or `PublicPageReached`.
    """
    require_site(call, site_id, scope, rights.Right.PUBLISH)
    page_ids = _ALL.all(call.connection, site_id=site_id)
    hold_site(call, site_id, scope, rights.Right.PUBLISH)  # all calls lock pages before their site
    sites.require_room(call, site_id, page_ids)
    save_site(call, site_id, {"active": True})
    for page_id in page_ids:
        pages.publish(call.connection, page_id, call.now(), call.actor.user_id)
    events.announce_pages(call, "published", page_ids)
    events.announce_site(call, "published", site_id)


def hide_site(call: Call, site_id: int) -> None:
    """Hide a site and all its pages; their published blocks stay (B17)."""
    page_ids = _SHOWN.all(call.connection, site_id=site_id)
    save_site(call, site_id, {"active": False})
    _HIDE.run(call.connection, of_site=site_id, active=False, **authorship.changed_by(call))
    events.announce_pages(call, "unpublished", page_ids)
    events.announce_site(call, "unpublished", site_id)


def show_folder(call: Call, folder_id: int, scope: str | None, *, shown: bool) -> None:
    """Make a folder active with all its parent folders, or make it inactive.

    Raises `AccessDenied`, also for a folder in the trash.
    """
    folder = require_folder(call, folder_id, scope, rights.Right.PUBLISH)
    if sites.in_trash(call.connection, folder.id):
        raise errors.AccessDenied(NO_FOLDER)
    if shown:
        pages.open_folders(call.connection, folder.id, call.now(), call.actor.user_id)
    else:
        save_folder(call, folder.id, {"active": False})
    events.announce_folders(
        call, "published" if shown else "unpublished", folder.site_id, [folder.id]
    )
