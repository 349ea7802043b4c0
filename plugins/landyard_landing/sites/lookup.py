"""Finds a site by id with the caller's rights; None if the caller may not view it."""

from msgspec import Struct
from sqlalchemy import bindparam, case, select

from landyard import Call, Prepared
from landyard_landing.errors import AccessDenied
from landyard_landing.rights.site_rights import Right, rights_of, site_types, with_rights
from landyard_landing.sites.codes import BIGGEST_ID
from landyard_landing.tables import SITE

DOMAIN_ID = case((SITE.domain.is_not(None), SITE.id))
"""The id of a site's domain, equal to the site's id, since no two share one; else NULL."""
_SITE_COLUMNS = (SITE.id, SITE.type, SITE.main_page_id, SITE.deleted)
_SITES = select(*_SITE_COLUMNS).select_from(SITE.id.table)
_FIND = Prepared(with_rights(_SITES, SITE.id).where(SITE.id == bindparam("site_id")))


class ViewedSite(Struct, frozen=True):
    """A site that the caller may view, with the caller's rights on it."""

    id: int
    type: str
    main_page_id: int | None
    deleted: bool
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the site (R3)."""
        if right not in self.rights:
            raise AccessDenied(f"This needs the right to {right.does} on the site.")


def find_site(
    call: Call,
    site_id: int,
    scope: str | None,
    *,
    every_type: bool = False,
    trash: bool = False,
) -> ViewedSite | None:
    """Find a site; None where it does not exist or the caller may not view it (R1, R2, R5).

    `every_type` includes sites of all types, whatever the `scope`; `trash` includes sites in the
    trash.
    """
    if not 0 < site_id <= BIGGEST_ID:
        return None  # no site can have this id (C5)
    actor = call.actor
    row = _FIND.first(call.connection, site_id=site_id, user_id=actor.user_id)
    if row is None:
        return None
    site = ViewedSite(*row[: len(_SITE_COLUMNS)], rights_of(actor, *row[-4:]))  # type: ignore[call-arg]  # mypy: one value
    is_viewable = Right.VIEW in site.rights and (trash or not site.deleted)
    if is_viewable and (every_type or site.type in site_types(scope)):
        return site
    return None
