"""Elements: what an id may name where a caller points to a page or to a folder (P12)."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard_landing.sites import has_folder
from landyard_landing.tables import Page

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_FIND = select(_PAGE.folder_id, _PAGE.active, _PAGE.deleted).where(
    _PAGE.id == bindparam("id"), _PAGE.site_id == bindparam("site_id")
)


class Element(Struct, frozen=True):
    """A page, and the folder it is in; or a folder, which is then its own `folder_id`.

    Active and inactive are states of pages (contract, section 3): a folder is never active.
    """

    folder_id: int | None
    active: bool = False


def find_element(connection: Connection, element_id: int, site_id: int) -> Element | None:
    """Find a page of the site, else a folder; None for neither and for a page in the trash."""
    page = connection.execute(_FIND, {"id": element_id, "site_id": site_id}).first()
    if page is not None:
        return None if page.deleted else Element(page.folder_id, page.active)
    return Element(element_id) if has_folder(connection, site_id, element_id) else None
