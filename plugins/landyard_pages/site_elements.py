"""Finds folders and pages of a site by id."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, exists, select

from landyard import Prepared
from landyard_landing import sites, tables

_FIND_FOLDER = Prepared(
    select(tables.FOLDER.parent_id).where(
        tables.FOLDER.id == bindparam("folder_id"),
        tables.FOLDER.site_id == bindparam("site_id"),
        ~tables.FOLDER.deleted,
    )
)


_FIND_PAGE = Prepared(
    select(tables.PAGE.folder_id, tables.PAGE.active, tables.PAGE.deleted).where(
        tables.PAGE.id == bindparam("page_id"), tables.PAGE.site_id == bindparam("site_id")
    )
)


_IS_NEEDED_MAIN = Prepared(
    select(tables.SITE.id).where(
        tables.SITE.main_page_id == bindparam("page_id"),
        tables.SITE.id == bindparam("site_id"),
        exists().where(
            tables.PAGE.site_id == tables.SITE.id,
            tables.PAGE.id != bindparam("page_id"),
            tables.PAGE.deleted.is_(False),
        ),
    )
)


class Element(Struct, frozen=True):
    """A page with its folder's id, or a folder, whose own id is then `folder_id`.

    A new page next to an active page is published; a new page in a folder is not (contract, 3).
    """

    folder_id: int | None
    active: bool = False


def has_folder(connection: Connection, site_id: int, folder_id: int) -> bool:
    """Tell whether a site has a folder, and neither it nor a folder above it is in the trash."""
    if not 0 < folder_id <= sites.BIGGEST_ID:
        return False
    found = _FIND_FOLDER.first(connection, folder_id=folder_id, site_id=site_id)
    return found is not None and not sites.in_trash(connection, found[0])


def find_element(connection: Connection, element_id: int, site_id: int) -> Element | None:
    """Find a page of the site, else a folder, by id; None for neither or a page in the trash."""
    page = _FIND_PAGE.first(connection, page_id=element_id, site_id=site_id)
    if page is not None:
        folder_id, active, deleted = page
        if deleted:
            return None
        return Element(None if sites.in_trash(connection, folder_id) else folder_id, active)
    return Element(element_id) if has_folder(connection, site_id, element_id) else None


def is_needed_main(connection: Connection, page_id: int, site_id: int) -> bool:
    """Tell whether a page is its site's main page, and the site has other pages (P7).

    Pages in the trash do not count.
    """
    return _IS_NEEDED_MAIN.first(connection, page_id=page_id, site_id=site_id) is not None
