"""Pages and places that a call holds until it ends, with the caller's rights."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from landyard import Call
from landyard_landing import tables
from landyard_landing.rights.pages import PageQuery, ViewedPage
from landyard_landing.rights.site_rights import Right, denied


class Place(Struct, frozen=True):
    """A folder of a site, or with None the site's root."""

    site_id: int
    folder_id: int | None = None


class HeldPage(Struct, frozen=True):
    """A page that is locked until the call ends, with the caller's rights on its site."""

    id: int
    site_id: int
    title: str
    deleted: bool
    folder_id: int | None
    code: str
    additional_fields: dict[str, Any]
    locked: bool
    area: bool
    date_public: datetime | None
    rights: Right

    @property
    def place(self) -> Place:
        """The site and folder of the page."""
        return Place(self.site_id, self.folder_id)

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has `right` on the page's site (R3)."""
        if right not in self.rights:
            raise denied(self.rights, right)


_HELD = HeldPage.__struct_fields__[:-1]
_NOW = tables.PAGE.id.table.alias()
# No key of the row is changed, so edits of its blocks, which insert into its history, do not wait.
_FIND = PageQuery(
    *(tables.PAGE[name] for name in _HELD),
    held=select(*(_NOW.c[name] for name in _HELD))
    .where(_NOW.c.id == tables.PAGE.id)
    .with_for_update(key_share=True),
)


def hold_page(
    call: Call,
    page_id: int,
    scope: str | None,
    needs: Right,
    judge: Callable[[ViewedPage], object] | None = None,
    *,
    trash: bool = False,
    every_type: bool = False,
) -> HeldPage:
    """Find a page as `find_page` does, and lock it for a caller with the rights `needs`.

    The rights are checked before the lock: a caller who may not change the page must not keep
    other calls waiting. `judge` gets the page first, and may raise an error of its own. The look-up
    starts again if the page was moved or trashed before it was locked.
    """
    while True:
        page, held = _FIND.find(
            call, page_id, scope, trash=trash, every_type=every_type, hold_for=needs
        )
        if judge is not None:
            judge(page)
        page.require(needs)
        if held[0] is not None:
            now = HeldPage(*held, page.rights)  # type: ignore[call-arg]  # mypy: one value
            if (now.site_id, now.deleted) == (page.site_id, page.deleted):
                return now
