"""The rights on sites: who has which, checks of them, and SQL conditions for queries."""

import enum
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Select, and_, bindparam, func, or_, select, true

from landyard import Actor, Call, Prepared, one_of
from landyard_landing.errors import AccessDenied
from landyard_landing.site_tables import ROLE_DEFAULT, ROLE_RIGHT
from landyard_landing.tables import ACCESS, RIGHT, SITE

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


def with_held(
    query: Select[Any],
    site_id: ColumnElement[int],
    held: Select[Any],
    needed: int | ColumnElement[int],
) -> Select[Any]:
    """Append the columns of `held`, and those of `with_rights`, to a query.

    `held` is a query of one row that PostgreSQL locks and then reads, for a user with the rights
    `needed`. Its columns are None for other users, or where the row does not exist.
    """
    locked = held.where(user_has(needed)).lateral()
    query = with_rights(query.add_columns(*locked.c), site_id)
    return query.join(locked, true(), isouter=True)


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


def user_has(needed: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that the user `:user_id` has all rights `needed`.

    It is for a query whose tables `with_rights` or `viewed` joined.
    """
    own = func.coalesce(RIGHT.rights, ACCESS.rights, 0, type_=RIGHT.rights.type)
    has_all = own.bitwise_or(_ROLES).bitwise_and(needed) == needed
    return or_(bindparam("is_admin", type_=Boolean), and_(ACCESS.sites_access, has_all))


def denied(rights: Right, right: Right) -> AccessDenied:
    """Make the error of a caller whose `rights` on a page's site do not include `right` (R3)."""
    lacking = next(iter(right & ~rights))
    return AccessDenied(f"This needs the right to {lacking.does} on the page's site.")


def site_types(scope: str | None) -> list[str]:
    """List the types of sites that are visible to a call with the internal `scope` (R5)."""
    return [scope.upper()] if scope else [*_OPEN_TYPES]


def viewed(query: Select[Any], site_id: ColumnElement[int]) -> Select[Any]:
    """Restrict a query of sites or pages to the rows that its caller may view.

    `query` reads from the table of sites; `site_id` is its column with the id of a row's site. The
    result is run with the values of `viewing`.
    """
    first = query.join(RIGHT.id.table, _own(RIGHT, site_id), isouter=True)
    return (
        _with_roles(first, site_id)
        .join(ACCESS.id.table, ACCESS.id == bindparam("user_id"), isouter=True)
        .where(one_of(SITE.type, "site_types"), user_has(Right.VIEW.value))
    )


def viewing(call: Call, scope: str | None) -> dict[str, Any]:
    """Return the values with which a query by `viewed` is run for this caller.

    They select the sites of the internal type `scope`, or of all open types where it is None (R5).
    Raises `AccessDenied` for a caller without any access to sites (R1).
    """
    require_access(call)
    actor = call.actor
    return {"user_id": actor.user_id, "is_admin": actor.admin, "site_types": site_types(scope)}


_MAY_USE_SITES = Prepared(
    select(ACCESS.sites_access).where(ACCESS.id == bindparam("user_id")), bool
)


def require_access(call: Call) -> None:
    """Raise `AccessDenied` for a caller without any access to sites (R1)."""
    actor = call.actor
    if not (actor.admin or _MAY_USE_SITES.first(call.connection, user_id=actor.user_id)):
        raise AccessDenied("This user has no access to sites.")
