"""Finds pages by id with the caller's rights on their sites (decisions, section 2)."""

import enum
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    true,
)

from landyard import Actor, Call, Prepared, one_of
from landyard_landing.errors import AccessDenied, LandingNotExist
from landyard_landing.site_tables import ROLE_DEFAULT, ROLE_RIGHT
from landyard_landing.tables import ACCESS, PAGE, RIGHT, SITE

_OPEN_TYPES = ["PAGE", "SMN", "STORE"]  # visible without naming an internal scope (R5)


class Right(enum.IntFlag):
    """The rights on a site; any of them implies `VIEW`. Administrators have `ALL`."""

    VIEW = 1
    EDIT = 2
    SETTINGS = 4
    PUBLISH = 8
    DELETE = 16
    ALL = 31

    @property
    def does(self) -> str:
        """The right as a verb phrase, for error texts."""
        name = str(self.name).lower()
        return "change settings" if self is Right.SETTINGS else name


NO_RIGHTS = Right(0)
"""The user has no right on the site."""


def with_rights(query: Select[Any], site_id: ColumnElement[int]) -> Select[Any]:
    """Append the columns that `rights_of` takes, for the user `:user_id`, to a query.

    The query has the site of `site_id` among its tables.
    """
    return _with_roles(
        query.add_columns(
            ACCESS.sites_access,
            ACCESS.rights.label("default_rights"),
            RIGHT.rights.label("site_rights"),
            _ROLES.label("role_rights"),
        )
        .join(ACCESS.id.table, ACCESS.id == bindparam("user_id"), isouter=True)
        .join(RIGHT.id.table, _own(RIGHT, site_id), isouter=True),
        site_id,
    )


_ROLES = func.coalesce(ROLE_RIGHT.rights, ROLE_DEFAULT.rights, 0, type_=RIGHT.rights.type)


def _own(table: Any, site_id: ColumnElement[int]) -> ColumnElement[bool]:
    return and_(table.site_id == site_id, table.user_id == bindparam("user_id"))


def _with_roles(query: Select[Any], site_id: ColumnElement[int]) -> Select[Any]:
    """Join the rights that the user's roles have on the site, or on sites of its type."""
    of_type = and_(
        ROLE_DEFAULT.site_type == SITE.type, ROLE_DEFAULT.user_id == bindparam("user_id")
    )
    return query.join(ROLE_DEFAULT.id.table, of_type, isouter=True).join(
        ROLE_RIGHT.id.table, _own(ROLE_RIGHT, site_id), isouter=True
    )


def rights_of(
    actor: Actor,
    sites_access: bool | None,
    default_rights: int | None,
    site_rights: int | None,
    role_rights: int,
) -> Right:
    """Return the caller's rights by the columns of `with_rights`; all rights for an admin.

    Other users need access to sites. A set of rights on the site replaces the user's default set;
    the rights of roles are added.
    """
    if actor.admin:
        return Right.ALL
    if not sites_access:
        return NO_RIGHTS
    own = (default_rights or 0) if site_rights is None else site_rights
    return Right(own | role_rights)


def _may(needed: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Write the condition, in a query by `with_rights`, that the user has all rights `needed`."""
    own = func.coalesce(RIGHT.rights, ACCESS.rights, 0, type_=RIGHT.rights.type)
    has_all = own.bitwise_or(_ROLES).bitwise_and(needed) == needed
    return or_(bindparam("is_admin", type_=Boolean), and_(ACCESS.sites_access, has_all))


def site_types(scope: str | None) -> list[str]:
    """List the types of sites that are visible to a call with the internal `scope` (R5)."""
    return [scope.upper()] if scope else [*_OPEN_TYPES]


def viewed(query: Select[Any], site_id: ColumnElement[int]) -> Select[Any]:
    """Restrict a query that joins sites to rows that the caller may view; see `viewing`."""
    first = query.join(RIGHT.id.table, _own(RIGHT, site_id), isouter=True)
    return (
        _with_roles(first, site_id)
        .join(ACCESS.id.table, ACCESS.id == bindparam("user_id"), isouter=True)
        .where(one_of(SITE.type, "site_types"), _may(Right.VIEW.value))
    )


def viewing(call: Call, scope: str | None) -> dict[str, Any]:
    """Return the parameters of a query by `viewed`, for this caller and internal `scope` (R5).

    Raises `AccessDenied` for a caller without any access to sites (R1).
    """
    require_access(call)
    actor = call.actor
    return {"user_id": actor.user_id, "is_admin": actor.admin, "site_types": site_types(scope)}


_NO_ACCESS = "This user has no access to sites."
_MAY_USE_SITES = Prepared(
    select(ACCESS.sites_access).where(ACCESS.id == bindparam("user_id")), bool
)
_PAGE_COLUMNS = (
    *(PAGE.id, PAGE.site_id, SITE.type.label("site_type"), SITE.template_code),
    *(PAGE.title, PAGE.template_code.label("own_template"), PAGE.xml_id, PAGE.deleted),
    SITE.deleted.label("site_deleted"),
)  # in the order of `ViewedPage`
_PAGES = select(*_PAGE_COLUMNS).join(SITE.id.table, SITE.id == PAGE.site_id)


def require_right(rights: Right, right: Right) -> None:
    """Raise `AccessDenied` unless `rights` on a page's site include all of `right` (R3)."""
    if right not in rights:
        lacking = next(iter(right & ~rights))
        raise AccessDenied(f"This needs the right to {lacking.does} on the page's site.")


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
    """A query that finds one page with the caller's rights, and columns beside it."""

    def __init__(
        self,
        *columns: ColumnElement[Any],
        joined: Callable[[Select[Any]], Select[Any]] = lambda it: it,
        held: Select[Any] | None = None,
        needed: int | ColumnElement[int] = 0,
    ) -> None:
        """Read `columns` of the page, its site, and the tables that `joined` adds to the query.

        `held` is a row beside the page that is locked and read; it refers to the page's tables, and
        `find` then needs the value `is_admin`. It is locked, and then read, only for a user with
        the rights `needed`: a caller without these rights keeps no other call waiting. Its columns
        are None for such a caller, or where the row does not exist. The page's own columns are read
        before the lock, and may be outdated. SQLite has no such statement, and no row locks.
        """
        query = joined(_PAGES.add_columns(*columns))
        if held is None:
            query = with_rights(query, PAGE.site_id)
        else:
            locked = held.where(_may(needed)).lateral()
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
        """Find one page as `find_page` does, and return the columns beside it."""
        call.subject = f"page:{page_id}"
        connection, actor = call.connection, call.actor
        row = self._query.first(connection, page_id=page_id, user_id=actor.user_id, **values)
        if row and (page := _viewable_page(actor, row, scope, trash=trash, every_type=every_type)):
            return page, row[len(_PAGE_COLUMNS) : -4]
        raise _not_there(connection, actor)


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


def require_access(call: Call) -> None:
    """Raise `AccessDenied` for a caller without any access to sites (R1)."""
    actor = call.actor
    if not (actor.admin or _MAY_USE_SITES.first(call.connection, user_id=actor.user_id)):
        raise AccessDenied(_NO_ACCESS)


def _not_there(connection: Connection, actor: Actor) -> Exception:
    if actor.admin or _MAY_USE_SITES.first(connection, user_id=actor.user_id):
        return LandingNotExist()
    return AccessDenied(_NO_ACCESS)
