"""The replacement of users' rights on a site, and the right to make sites."""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, delete, insert, select

from landyard import Actor, Prepared
from landyard_landing import site_tables, tables
from landyard_landing.rights import Right

_DEFAULT = Prepared(
    select(tables.ACCESS.sites_access, tables.ACCESS.rights).where(
        tables.ACCESS.id == bindparam("user_id")
    )
)
_CREATES = Prepared(
    select(site_tables.ROLE_DEFAULT.creates).where(
        site_tables.ROLE_DEFAULT.user_id == bindparam("user_id"),
        site_tables.ROLE_DEFAULT.site_type == bindparam("kind"),
    )
)
_FORGET = Prepared(
    delete(tables.RIGHT.id.table).where(tables.RIGHT.site_id == bindparam("site_id"))
)
_GIVE = Prepared(insert(tables.RIGHT.id.table))


def may_add(connection: Connection, actor: Actor, kind: str) -> bool:
    """Tell whether a caller may make sites of a type.

    Required is the right to edit as the default for all sites, or a role that allows it.
    """
    if actor.admin:
        return True
    default = _DEFAULT.first(connection, user_id=actor.user_id)
    if default is None or not default[0]:
        return False
    role = _CREATES.first(connection, user_id=actor.user_id, kind=kind)
    return Right.EDIT in Right(default[1] or 0) or (role is not None and bool(role[0]))


def replace_rights(connection: Connection, site_id: int, rights: Mapping[int, Right]) -> None:
    """Replace all rights that users have on a single site."""
    _FORGET.run(connection, site_id=site_id)
    rows = [
        {"user_id": user_id, "site_id": site_id, "rights": int(user_rights)}
        for user_id, user_rights in sorted(rights.items())
    ]
    _GIVE.run_each(connection, rows)
