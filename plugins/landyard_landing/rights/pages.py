"""Finds a page that the caller may view, with the caller's rights on its site."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Integer, Select, bindparam, select

from landyard import Actor, Call, Prepared, one_of
from landyard_landing.errors import LandingNotExist
from landyard_landing.rights.site_rights import (
    Right,
    denied,
    require_access,
    rights_of,
    site_types,
    with_held,
    with_rights,
)
from landyard_landing.tables import BLOCK, PAGE, SITE

_PAGE_COLUMNS = (
    *(PAGE.id, PAGE.site_id, SITE.type.label("site_type"), SITE.template_code),
    *(PAGE.title, PAGE.template_code.label("own_template"), PAGE.xml_id, PAGE.deleted),
    SITE.deleted.label("site_deleted"),
)  # in the order of `ViewedPage`
_PAGES = select(*_PAGE_COLUMNS).join(SITE.id.table, SITE.id == PAGE.site_id)
_BY_ID = PAGE.id == bindparam("page_id")
# Not correlated, so that a query with the table of blocks among its own stays another query.
_OF_BLOCK = PAGE.id == (
    select(BLOCK.page_id).where(BLOCK.id == bindparam("block_id")).correlate(None).scalar_subquery()
)
_Queries = tuple[Prepared[Any], Prepared[Any]]
"""One that only reads, and one that locks the row of `held`."""


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
        if right not in self.rights:
            raise denied(self.rights, right)


class PageQuery:
    """A prepared query: finds one page, the caller's rights on its site, and further columns.

    Make it once, at the top of a module, and call `find` or `find_of_block` for each page.
    """

    def __init__(
        self,
        *columns: ColumnElement[Any],
        joined: Callable[[Select[Any]], Select[Any]] = lambda it: it,
        held: Select[Any] | None = None,
    ) -> None:
        """Prepare a query that also reads `columns`: of the page, its site, or a table of `joined`.

        `joined` takes the query, and returns it with the joins of further tables. `held` reads
        columns of one row, such as a block of the page. A look-up can lock this row; it then
        answers the columns of `held` in place of `columns`.
        """
        plain = holding = with_rights(joined(_PAGES.add_columns(*columns)), PAGE.site_id)
        if held is not None:
            needed = bindparam("needed", type_=Integer)
            holding = with_held(_PAGES, PAGE.site_id, held, needed)
        self._by_id = Prepared(plain.where(_BY_ID)), Prepared(holding.where(_BY_ID))
        self._of_block = Prepared(plain.where(_OF_BLOCK)), Prepared(holding.where(_OF_BLOCK))

    def find(
        self,
        call: Call,
        page_id: int,
        scope: str | None,
        *,
        trash: bool = False,
        every_type: bool = False,
        hold_for: Right | None = None,
        **values: Any,
    ) -> tuple[ViewedPage, Any]:
        """Find a page as `find_page` does; return it, and a tuple of the further columns.

        `values` are the query's own parameters. With `hold_for` PostgreSQL locks the row of `held`
        until the call ends. SQLite has one writer and no row locks, so it reads `columns` as ever.
        A caller without the rights `hold_for` must not keep other calls waiting: then PostgreSQL
        locks nothing, and the further columns are None. The page's own columns may be outdated,
        since they are read before the lock.
        """
        about = f"page:{page_id}"
        row = self._first(call, about, self._by_id, hold_for, page_id=page_id, **values)
        return _found(call, row, scope, trash=trash, every_type=every_type)

    def find_of_block(
        self,
        call: Call,
        block_id: int,
        scope: str | None,
        *,
        hold_for: Right | None = None,
        **values: Any,
    ) -> tuple[ViewedPage, Any]:
        """Find the page of a block, draft or published, as `find` does.

        Raises `LandingNotExist` also where there is no such block.
        """
        about = f"block:{block_id}"
        row = self._first(call, about, self._of_block, hold_for, block_id=block_id, **values)
        if row:
            call.subject = f"page:{row[0]}"
        return _found(call, row, scope)

    def _first(
        self, call: Call, about: str, queries: _Queries, hold_for: Right | None, **values: Any
    ) -> Any:
        call.subject = about
        plain, holding = queries
        connection, actor = call.connection, call.actor
        values["user_id"] = actor.user_id
        if hold_for is None or connection.dialect.name == "sqlite":
            return plain.first(connection, **values)
        held = {"needed": hold_for.value, "is_admin": actor.admin}
        return holding.first(connection, **values, **held)


_FIND = PageQuery()
_FIND_SEVERAL = Prepared(with_rights(_PAGES, PAGE.site_id).where(one_of(PAGE.id, "page_ids")))


def find_page(
    call: Call, page_id: int, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> ViewedPage:
    """Find a page that the caller may view (R1, R2, R5, R6).

    `trash` includes pages in the trash and pages of sites in the trash; `every_type` includes
    sites of any type, whatever the `scope`. Raises `AccessDenied` for a caller without any access
    to sites, and `LandingNotExist` where the caller may not view the page, or it does not exist.
    """
    return _FIND.find(call, page_id, scope, trash=trash, every_type=every_type)[0]


def find_pages(call: Call, page_ids: Sequence[int], scope: str | None) -> list[ViewedPage]:
    """Find several pages as `find_page` does, by one query, in the order of `page_ids`."""
    if len(page_ids) == 1:  # as in most calls: no list of ids to compare with
        return [find_page(call, page_ids[0], scope)]
    actor = call.actor
    rows = _FIND_SEVERAL.all(call.connection, page_ids=list(page_ids), user_id=actor.user_id)
    pages = {page.id: page for row in rows if (page := _viewable_page(actor, row, scope))}
    if not pages.keys() >= {*page_ids}:
        require_access(call)
        raise LandingNotExist
    return [pages[page_id] for page_id in page_ids]


def _found(
    call: Call, row: Any, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> tuple[ViewedPage, Any]:
    """Read a row of a `PageQuery`, or raise the error of a caller who may not view the page."""
    actor = call.actor
    if row and (page := _viewable_page(actor, row, scope, trash=trash, every_type=every_type)):
        return page, row[len(_PAGE_COLUMNS) : -4]
    require_access(call)
    raise LandingNotExist


def _viewable_page(
    actor: Actor, row: Any, scope: str | None, *, trash: bool = False, every_type: bool = False
) -> ViewedPage | None:
    """Read a row of a `PageQuery`; None for a page that the caller may not view."""
    page = ViewedPage(*row[: len(_PAGE_COLUMNS)], rights_of(actor, *row[-4:]))  # type: ignore[call-arg]  # mypy: one value
    is_visible = Right.VIEW in page.rights and (trash or not (page.deleted or page.site_deleted))
    return page if is_visible and (every_type or page.site_type in site_types(scope)) else None
