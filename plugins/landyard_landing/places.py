"""Places of pages: a page comes to another site, another folder or another code (P3, P6)."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select, update

from landyard_landing.codes import free_code
from landyard_landing.pages import HeldPage
from landyard_landing.tables import Folder, Page, Site

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_SITE = Site.__table__.c  # type: ignore[attr-defined]
_FOLDER = Folder.__table__.c  # type: ignore[attr-defined]
# By id, and before anything is written: two pages that change sites must not wait in a circle.
_LOCK_SITES = (
    select(_SITE.id)
    .where(_SITE.id.in_(bindparam("site_ids", expanding=True)))
    .order_by(_SITE.id)
    .with_for_update(key_share=True)
)
_PUT = (
    update(_PAGE.id.table)
    .where(_PAGE.id == bindparam("page_id"))
    .values(
        site_id=bindparam("to_site"), folder_id=bindparam("to_folder"), code=bindparam("to_code")
    )
)
_LEAVE_SITE = (
    update(_SITE.id.table)
    .where(_SITE.id == bindparam("old_site"), _SITE.main_page_id == bindparam("page_id"))
    .values(main_page_id=None)
)
_LEAVE_FOLDERS = (
    update(_FOLDER.id.table)
    .where(_FOLDER.site_id == bindparam("old_site"), _FOLDER.index_page_id == bindparam("page_id"))
    .values(index_page_id=None)
)
_LEAVE_FOLDER = _LEAVE_FOLDERS.where(_FOLDER.id == bindparam("old_folder"))


class Place(Struct, frozen=True):
    """Where a page stands: in a folder of a site, or at the site's root."""

    site_id: int
    folder_id: int | None = None


def place_of(page: HeldPage) -> Place:
    """Say where the page stands."""
    return Place(page.site_id, page.folder_id)


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
