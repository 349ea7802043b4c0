"""Sites and folders as callers may see them: found by id, with the caller's rights."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, exists, select

from landyard import Call
from landyard_landing.errors import AccessDenied
from landyard_landing.rights import Right, rights_of, visible, with_rights
from landyard_landing.tables import Folder, Page, Site

_SITE = Site.__table__.c  # type: ignore[attr-defined]
_FOLDER = Folder.__table__.c  # type: ignore[attr-defined]
_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_BIGGEST_ID = 2**31 - 1  # what a column of ids holds
_FIND = with_rights(
    select(_SITE.id, _SITE.type, _SITE.main_page_id).select_from(_SITE.id.table),
    _SITE.id,
).where(_SITE.id == bindparam("id"))
_FIND_FOLDER = select(_FOLDER.id).where(
    _FOLDER.id == bindparam("id"), _FOLDER.site_id == bindparam("site_id")
)
_IS_NEEDED_MAIN = select(
    _SITE.id,
).where(
    _SITE.main_page_id == bindparam("page_id"),
    _SITE.id == bindparam("site_id"),
    exists().where(
        _PAGE.site_id == _SITE.id, _PAGE.id != bindparam("page_id"), _PAGE.deleted.is_(False)
    ),
)


class SeenSite(Struct, frozen=True):
    """A site that the caller sees, and what the caller may do with it."""

    id: int
    type: str
    main_page_id: int | None
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the site (R3)."""
        if right not in self.rights:
            raise AccessDenied(f"This needs the right to {right.does} on the site.")


def find_site(
    call: Call, site_id: int, scope: str | None, *, every_type: bool = False
) -> SeenSite | None:
    """Find a site; None when it is not there for this caller (R1, R2, R5).

    With `every_type` sites of all types are seen, whatever the `scope`.
    """
    if not 0 < site_id <= _BIGGEST_ID:
        return None  # it names nothing (C5)
    actor = call.actor
    row = call.connection.execute(_FIND, {"id": site_id, "user_id": actor.user_id}).first()
    if row is None or not (actor.admin or row.sites_access):
        return None
    rights = rights_of(actor, row.default_rights, row.site_rights)
    if Right.VIEW not in rights or not (every_type or visible(row.type, scope)):
        return None
    return SeenSite(row.id, row.type, row.main_page_id, rights)


def has_folder(connection: Connection, site_id: int, folder_id: int) -> bool:
    """Tell whether a site has a folder."""
    if not 0 < folder_id <= _BIGGEST_ID:
        return False
    row = connection.execute(_FIND_FOLDER, {"id": folder_id, "site_id": site_id}).first()
    return row is not None


def is_needed_main(connection: Connection, page_id: int, site_id: int) -> bool:
    """Tell whether a page is its site's main page beside others outside the trash (P7)."""
    found = connection.execute(_IS_NEEDED_MAIN, {"page_id": page_id, "site_id": site_id})
    return found.first() is not None
