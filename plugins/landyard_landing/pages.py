"""Pages as callers may see them: found by id, with the caller's rights on their site."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from landyard import Call
from landyard_landing.errors import AccessDenied, LandingNotExist
from landyard_landing.files import use_files
from landyard_landing.rights import (
    NO_SITES,
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
        _PAGE.deleted,
    ).join(_SITE.id.table, _SITE.id == _PAGE.site_id),
    _PAGE.site_id,
)
_ONE = _PAGES.where(_PAGE.id == bindparam("id"))
_SOME = _PAGES.where(_PAGE.id.in_(bindparam("ids", expanding=True)))


# No key of the row is changed: edits of its blocks, which enter its history, need not wait.
_HOLD = (
    select(
        _PAGE.id,
        _PAGE.site_id,
        _PAGE.folder_id,
        _PAGE.code,
        _PAGE.title,
        _PAGE.additional_fields,
        _PAGE.deleted,
        _PAGE.locked,
        _PAGE.area,
    )
    .where(_PAGE.id == bindparam("id"))
    .with_for_update(key_share=True)
)


class SeenPage(Struct, frozen=True):
    """A page that the caller sees, and what the caller may do with it."""

    id: int
    site_id: int
    site_type: str
    site_template_code: str
    title: str
    template_code: str | None
    xml_id: str
    deleted: bool
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the page's site (R3)."""
        if right not in self.rights:
            raise AccessDenied(f"This needs the right to {right.does} on the page's site.")


class HeldPage(Struct, frozen=True):
    """A page under the hands of a call; its row is locked until the call ends."""

    id: int
    site_id: int
    folder_id: int | None
    code: str
    title: str
    additional_fields: dict[str, Any]
    deleted: bool
    locked: bool
    area: bool


def find_page(
    call: Call, page_id: int, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> SeenPage:
    """Find one page; see `find_pages`.

    With `trash` also one in the trash, with `every_type` one of a site of any type, whatever
    the `scope` (R5, R6).
    """
    call.concerns("page", page_id)
    return _find(call, [page_id], scope, trash=trash, every_type=every_type)[0]


def hold_page(
    call: Call,
    page_id: int,
    scope: str | None,
    judge: Callable[[SeenPage], object],
    *,
    trash: bool = False,
    every_type: bool = False,
) -> HeldPage:
    """Find a page as `find_page` does, let `judge` refuse the caller, then lock it and read it.

    In this order, for whoever may not change a page must not keep others waiting; and once more
    where the page moved or was trashed before it was locked.
    """
    while True:
        page = find_page(call, page_id, scope, trash=trash, every_type=every_type)
        judge(page)
        row = call.connection.execute(_HOLD, {"id": page.id}).first()
        if row is not None and (row.site_id, row.deleted) == (page.site_id, page.deleted):
            return HeldPage(*row)


def save_page(call: Call, page_id: int, values: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Write columns of a page, and that the caller has changed it."""
    signed = {"modified_at": call.now(), "modified_by": call.actor.user_id}
    use_files(call.connection, str(values.get("additional_fields", "")))
    page = update(_PAGE.id.table).where(_PAGE.id == page_id)
    call.connection.execute(page.values({**values, **signed}))


def find_pages(call: Call, page_ids: Iterable[int], scope: str | None) -> list[SeenPage]:
    """Find pages that are not in the trash, in the order given (R1, R2, R5, R6).

    Raises `AccessDenied` for a caller without access to sites at all, before anything is looked
    up, and `LandingNotExist` when any of the pages is not there for this caller.
    """
    return _find(call, list(page_ids), scope, trash=False, every_type=False)


def _find(
    call: Call, wanted: list[int], scope: str | None, *, trash: bool, every_type: bool
) -> list[SeenPage]:
    seen: dict[int, SeenPage] = {}
    for first in range(0, len(wanted), _AT_ONCE):
        for page in _seen(call, wanted[first : first + _AT_ONCE]):
            if (trash or not page.deleted) and (every_type or visible(page.site_type, scope)):
                seen[page.id] = page
    if len(seen) < len(wanted):
        require_sites_access(call.connection, call.actor)
        raise LandingNotExist
    return [seen[page_id] for page_id in wanted]


def _seen(call: Call, page_ids: list[int]) -> Iterator[SeenPage]:
    actor = call.actor
    if len(page_ids) == 1:
        rows = call.connection.execute(_ONE, {"id": page_ids[0], "user_id": actor.user_id})
    else:
        rows = call.connection.execute(_SOME, {"ids": page_ids, "user_id": actor.user_id})
    for row in rows:
        rights = rights_of(actor, row.default_rights, row.site_rights)
        if not actor.admin and not row.sites_access:
            raise AccessDenied(NO_SITES)
        if Right.VIEW in rights:
            yield SeenPage(
                id=row.id,
                site_id=row.site_id,
                site_type=row.site_type,
                site_template_code=row.site_template_code,
                title=row.title,
                template_code=row.template_code,
                xml_id=row.xml_id,
                deleted=row.deleted,
                rights=rights,
            )
