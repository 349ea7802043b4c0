"""Writes the rows of rights that users get from roles, for the check of rights."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select
from sqlmodel import Session

from landyard import Prepared, one_of
from landyard_landing import site_tables, tables
from landyard_landing.rights import Right, users_of_codes
from landyard_roles.roles import Role, are_enabled, list_roles

_FORGET_DEFAULTS = Prepared(delete(site_tables.ROLE_DEFAULT.id.table))
_FORGET_RIGHTS = Prepared(delete(site_tables.ROLE_RIGHT.id.table))
_ADD_DEFAULT = Prepared(insert(site_tables.ROLE_DEFAULT.id.table))
_ADD_RIGHT = Prepared(insert(site_tables.ROLE_RIGHT.id.table))
_TYPES = Prepared(
    select(tables.SITE.id, tables.SITE.type).where(one_of(tables.SITE.id, "site_ids"))
)


def grant(session: Session) -> None:
    """Rewrite the granted rights of all users from all roles.

    `AU` and `UA` stand for all users with access to sites now. If roles are off, no rows remain.
    """
    connection = session.connection()
    _FORGET_DEFAULTS.run(connection)
    _FORGET_RIGHTS.run(connection)
    if not are_enabled(session):
        return
    holders = _holders(connection, list_roles(session))
    site_ids = {site_id for roles in holders.values() for role in roles for site_id in role.rights}
    types = dict(_TYPES.all(connection, site_ids=sorted(site_ids - {0})))
    for user_id, roles in sorted(holders.items()):
        _grant_defaults(connection, user_id, roles)
        rows = []
        for site_id, site_type in sorted(types.items()):
            applicable = [role for role in roles if site_type in role.site_types]
            if any(site_id in role.rights for role in applicable):
                rows.append(
                    {"user_id": user_id, "site_id": site_id, "rights": _union(applicable, site_id)}
                )
        _ADD_RIGHT.run_each(connection, rows)


def _grant_defaults(connection: Connection, user_id: int, roles: Collection[Role]) -> None:
    types = sorted({kind for role in roles for kind in role.site_types})
    rows = []
    for kind in types:
        applicable = [role for role in roles if kind in role.site_types]
        creates = any(role.creates for role in applicable)
        rows.append(
            {
                "user_id": user_id,
                "site_type": kind,
                "rights": _union(applicable, 0),
                "creates": creates,
            }
        )
    _ADD_DEFAULT.run_each(connection, rows)


def _union(roles: Collection[Role], site_id: int) -> int:
    """Return the union of roles' rights: each role's for this site, else for all others."""
    rights = Right(0)
    for role in roles:
        rights |= role.rights.get(site_id, role.rights.get(0, Right(0)))
    return int(rights)


def _holders(connection: Connection, roles: Collection[Role]) -> dict[int, list[Role]]:
    """Return the roles of each user who has any."""
    users = users_of_codes(connection, {code for role in roles for code in role.codes})
    roles_by_user: dict[int, list[Role]] = {}
    for role in roles:
        for user_id in sorted({each for code in role.codes for each in users.get(code, ())}):
            roles_by_user.setdefault(user_id, []).append(role)
    return roles_by_user
