"""Pages as callers may see them: found by id, with the caller's rights on their site."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from sqlalchemy import bindparam, select

from landyard import Call
from landyard_landing.errors import AccessDenied, LandingNotExist
from landyard_landing.rights import (
    Right,
    require_sites_access,
    rights_of,
    visible,
    with_rights,
)
from landyard_landing.tables import Page, Site

_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_SITE = Site.__table__.c  # type: ignore[attr-defined]
_AT_ONCE = 500

# Built once: building a statement costs more than running it.
_PAGES = with_rights(
    select(
        _PAGE.id,
        _PAGE.site_id,
        _SITE.type.label("site_type"),
        _SITE.template_code.label("site_template_code"),
        _PAGE.title,
        _PAGE.template_code,
        _PAGE.xml_id,
    ).join(_SITE.id.table, _SITE.id == _PAGE.site_id),
    _PAGE.site_id,
).where(_PAGE.deleted.is_(False))
_ONE = _PAGES.where(_PAGE.id == bindparam("id"))
_SOME = _PAGES.where(_PAGE.id.in_(bindparam("ids", expanding=True)))


class SeenPage(Struct, frozen=True):
    """A page that the caller sees, and what the caller may do with it."""

    id: int
    site_id: int
    site_type: str
    site_template_code: str
    title: str
    template_code: str | None
    xml_id: str
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the page's site (R3)."""
        if right not in self.rights:
            raise AccessDenied


def find_page(call: Call, page_id: int, scope: str | None) -> SeenPage:
    """Find one page; see `find_pages`."""
    return find_pages(call, [page_id], scope)[0]


def find_pages(call: Call, page_ids: Iterable[int], scope: str | None) -> list[SeenPage]:
    """Find pages that are not in the trash, in the order given (R1, R2, R5, R6).

    Raises `AccessDenied` for a caller without access to sites at all, before anything is looked
    up, and `LandingNotExist` when any of the pages is not there for this caller.
    """
    wanted = list(page_ids)
    seen: dict[int, SeenPage] = {}
    for first in range(0, len(wanted), _AT_ONCE):
        seen.update(_seen(call, wanted[first : first + _AT_ONCE], scope))
    if len(seen) < len(wanted):
        require_sites_access(call.connection, call.actor)
        raise LandingNotExist
    return [seen[page_id] for page_id in wanted]


def _seen(call: Call, page_ids: list[int], scope: str | None) -> Mapping[int, SeenPage]:
    actor = call.actor
    seen: dict[int, SeenPage] = {}
    if len(page_ids) == 1:
        rows = call.connection.execute(_ONE, {"id": page_ids[0], "user_id": actor.user_id})
    else:
        rows = call.connection.execute(_SOME, {"ids": page_ids, "user_id": actor.user_id})
    for row in rows:
        rights = rights_of(actor, row.default_rights, row.site_rights)
        if not actor.admin and not row.sites_access:
            raise AccessDenied
        if Right.VIEW in rights and visible(row.site_type, scope):
            seen[row.id] = SeenPage(
                id=row.id,
                site_id=row.site_id,
                site_type=row.site_type,
                site_template_code=row.site_template_code,
                title=row.title,
                template_code=row.template_code,
                xml_id=row.xml_id,
                rights=rights,
            )
    return seen
