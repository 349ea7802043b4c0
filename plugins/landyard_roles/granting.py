"""Gives users what their roles allow: rows that the check of rights reads beside users' own."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select

from landyard import Prepared, one_of
from landyard_landing import ROLE_DEFAULT, ROLE_RIGHT, SITE, Right, users_of_codes
from landyard_roles.roles import Role, are_enabled, list_roles

_FORGET_DEFAULTS = Prepared(delete(ROLE_DEFAULT.id.table))
_FORGET_RIGHTS = Prepared(delete(ROLE_RIGHT.id.table))
_ADD_DEFAULT = Prepared(insert(ROLE_DEFAULT.id.table))
_ADD_RIGHT = Prepared(insert(ROLE_RIGHT.id.table))
_TYPES = Prepared(select(SITE.id, SITE.type).where(one_of(SITE.id, "site_ids")))


def grant(connection: Connection) -> None:
    """Write what all roles allow to whom, in place of what was written before.

    `AU` and `UA` are all who have access to sites now. Where roles do not count, nothing is left.
    """
    _FORGET_DEFAULTS.run(connection)
    _FORGET_RIGHTS.run(connection)
    if not are_enabled(connection):
        return
    holders = _holders(connection, list_roles(connection))
    named = {site_id for roles in holders.values() for role in roles for site_id in role.rights}
    types = dict(_TYPES.all(connection, site_ids=sorted(named - {0})))
    for user_id, roles in sorted(holders.items()):
        _grant_defaults(connection, user_id, roles)
        rows = []
        for site_id, site_type in sorted(types.items()):
            held = [role for role in roles if site_type in role.site_types]
            if any(site_id in role.rights for role in held):
                rows.append({"user_id": user_id, "site_id": site_id, "rights": _of(held, site_id)})
        _ADD_RIGHT.run_each(connection, rows)


def _grant_defaults(connection: Connection, user_id: int, roles: Collection[Role]) -> None:
    types = sorted({kind for role in roles for kind in role.site_types})
    rows = []
    for kind in types:
        held = [role for role in roles if kind in role.site_types]
        creates = any(role.creates for role in held)
        rows.append(
            {"user_id": user_id, "site_type": kind, "rights": _of(held, 0), "creates": creates}
        )
    _ADD_DEFAULT.run_each(connection, rows)


def _of(roles: Collection[Role], site_id: int) -> int:
    """Unite what roles allow on a site; each says it of the site itself, else of all others."""
    found = Right(0)
    for role in roles:
        found |= role.rights.get(site_id, role.rights.get(0, Right(0)))
    return int(found)


def _holders(connection: Connection, roles: Collection[Role]) -> dict[int, list[Role]]:
    """Find the roles of each user who has any."""
    users = users_of_codes(connection, {code for role in roles for code in role.codes})
    found: dict[int, list[Role]] = {}
    for role in roles:
        for user_id in sorted({each for code in role.codes for each in users.get(code, ())}):
            found.setdefault(user_id, []).append(role)
    return found
