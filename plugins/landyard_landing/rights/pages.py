"""Finds a page that the caller may view, with the caller's rights on its site."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, bindparam, select, true

from landyard import Actor, Call, Prepared
from landyard_landing.errors import LandingNotExist
from landyard_landing.rights.site_rights import (
    Right,
    require_access,
    require_right,
    rights_of,
    site_types,
    user_has,
    with_rights,
)
from landyard_landing.tables import PAGE, SITE

_PAGE_COLUMNS = (
    *(PAGE.id, PAGE.site_id, SITE.type.label("site_type"), SITE.template_code),
    *(PAGE.title, PAGE.template_code.label("own_template"), PAGE.xml_id, PAGE.deleted),
    SITE.deleted.label("site_deleted"),
)  # in the order of `ViewedPage`
_PAGES = select(*_PAGE_COLUMNS).join(SITE.id.table, SITE.id == PAGE.site_id)


class ViewedPage(Struct, frozen=True):
    """A page that the caller may view, with the caller's rights on its site."""

    id: int
    site_id: int
    site_type: str
    site_template_code: str
    title: str
    template_code: str | None
    xml_id: str
    deleted: bool
    site_deleted: bool
    rights: Right

    def require(self, right: Right) -> None:
        """Raise `AccessDenied` unless the caller has all of `right` on the site (R3)."""
        require_right(self.rights, right)


class PageQuery:
    """A prepared query: finds one page by id, the caller's rights on its site, and further columns.

    Make it once, at the top of a module, and call `find` for each page.
    """

    def __init__(
        self,
        *columns: ColumnElement[Any],
        joined: Callable[[Select[Any]], Select[Any]] = lambda it: it,
        held: Select[Any] | None = None,
        needed: int | ColumnElement[int] = 0,
    ) -> None:
        """Prepare a query that also reads `columns`: of the page, its site, or a table of `joined`.

        `joined` takes the query, and returns it with the joins of further tables. `held` is a
        query of one row that PostgreSQL locks and then reads, such as a block of the page; SQLite
        has no row locks. It is locked only for a caller with the rights `needed`, so that no other
        caller keeps calls waiting. `find` then answers the columns of `held`, too. They are None
        where the caller lacks the rights, or the row does not exist. The page's own columns are
        read before the lock, so they may be outdated.
        """
        query = joined(_PAGES.add_columns(*columns))
        if held is None:
            query = with_rights(query, PAGE.site_id)
        else:
            locked = held.where(user_has(needed)).lateral()
            query = with_rights(query.add_columns(*locked.c), PAGE.site_id)
            query = query.join(locked, true(), isouter=True)
        self._query = Prepared(query.where(PAGE.id == bindparam("page_id")))

    def find(
        self,
        call: Call,
        page_id: int,
        scope: str | None,
        *,
        trash: bool = False,
        every_type: bool = False,
        **values: Any,
    ) -> tuple[ViewedPage, Any]:
        """Find a page as `find_page` does; return it, and a tuple of the further columns.

        `values` are the query's own parameters; a query with `held` has the parameter `is_admin`.
        """
        call.subject = f"page:{page_id}"
        actor = call.actor
        row = self._query.first(call.connection, page_id=page_id, user_id=actor.user_id, **values)
        if row and (page := _viewable_page(actor, row, scope, trash=trash, every_type=every_type)):
            return page, row[len(_PAGE_COLUMNS) : -4]
        require_access(call)
        raise LandingNotExist


_FIND = PageQuery()


def find_page(
    call: Call, page_id: int, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> ViewedPage:
    """Find a page that the caller may view (R1, R2, R5, R6).

    `trash` includes pages in the trash and pages of sites in the trash; `every_type` includes
    sites of any type, whatever the `scope`. Raises `AccessDenied` for a caller without any access
    to sites, and `LandingNotExist` where the caller may not view the page, or it does not exist.
    """
    return _FIND.find(call, page_id, scope, trash=trash, every_type=every_type)[0]


def _viewable_page(
    actor: Actor, row: Any, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> ViewedPage | None:
    """Read a row of a `PageQuery`; None for a page that the caller may not view."""
    page = ViewedPage(*row[: len(_PAGE_COLUMNS)], rights_of(actor, *row[-4:]))  # type: ignore[call-arg]  # mypy: one value
    is_visible = Right.VIEW in page.rights and (trash or not (page.deleted or page.site_deleted))
    return page if is_visible and (every_type or page.site_type in site_types(scope)) else None
