"""Rights: what a caller may do with a site (decisions, section 2)."""

import enum
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, select

from landyard import Actor
from landyard_landing.errors import AccessDenied
from landyard_landing.tables import SiteAccess, SiteRight

_ACCESS = SiteAccess.__table__.c  # type: ignore[attr-defined]
_RIGHT = SiteRight.__table__.c  # type: ignore[attr-defined]
_MAY_USE_SITES = select(_ACCESS.sites_access).where(_ACCESS.id == bindparam("user_id"))

OPEN_TYPES = frozenset({"PAGE", "STORE", "SMN"})
"""Types of sites that are visible without naming an internal scope (R5)."""


class Right(enum.IntFlag):
    """The rights on a site; any of them implies `VIEW`."""

    VIEW = 1
    EDIT = 2
    SETTINGS = 4
    PUBLISH = 8
    DELETE = 16

    @property
    def does(self) -> str:
        """What it lets its holder do, as people say it."""
        name = str(self.name).lower()
        return "change settings" if self is Right.SETTINGS else name


NO_SITES = "This user has no access to sites."
NO_RIGHTS = Right(0)
ALL_RIGHTS = Right(31)


def right_set(names: Iterable[str]) -> Right:
    """Read rights by name; any right implies `view`. Raises `KeyError` for an unknown one."""
    found = NO_RIGHTS
    for name in names:
        found |= Right[name.upper()] | Right.VIEW
    return found


def right_names(rights: int) -> list[str]:
    """Write rights by name, in their usual order."""
    return [str(right.name).lower() for right in Right if right & rights]


def require_sites_access(connection: Connection, actor: Actor) -> None:
    """Raise `AccessDenied` for a caller who may not use the sites section at all (R1)."""
    if actor.admin:
        return
    if not connection.execute(_MAY_USE_SITES, {"user_id": actor.user_id}).scalar():
        raise AccessDenied(NO_SITES)


def with_rights(query: Select[Any], site_id: ColumnElement[int]) -> Select[Any]:
    """Add `sites_access`, `default_rights` and `site_rights` of the user `:user_id` to a query."""
    own = and_(_RIGHT.site_id == site_id, _RIGHT.user_id == bindparam("user_id"))
    return (
        query.add_columns(
            _ACCESS.sites_access,
            _ACCESS.rights.label("default_rights"),
            _RIGHT.rights.label("site_rights"),
        )
        .join(_ACCESS.id.table, _ACCESS.id == bindparam("user_id"), isouter=True)
        .join(_RIGHT.id.table, own, isouter=True)
    )


def rights_of(actor: Actor, default: int | None, own: int | None) -> Right:
    """Decide what the caller may: a site's own set replaces the default; admins may all."""
    if actor.admin:
        return ALL_RIGHTS
    return Right((default or 0) if own is None else own)


def visible(site_type: str, scope: str | None) -> bool:
    """Tell whether a call that names the internal `scope` sees sites of this type (R5)."""
    if scope is None:
        return site_type in OPEN_TYPES
    return site_type == scope.upper()
