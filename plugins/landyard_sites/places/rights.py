"""Rights of users on a site, replaced; and who may make one."""

from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, delete, insert, select

from landyard import Actor, Prepared
from landyard_landing import ACCESS, RIGHT, ROLE_DEFAULT, Right

_DEFAULT = Prepared(
    select(ACCESS.sites_access, ACCESS.rights).where(ACCESS.id == bindparam("user_id"))
)
_CREATES = Prepared(
    select(ROLE_DEFAULT.creates).where(
        ROLE_DEFAULT.user_id == bindparam("user_id"), ROLE_DEFAULT.site_type == bindparam("kind")
    )
)
_FORGET = Prepared(delete(RIGHT.id.table).where(RIGHT.site_id == bindparam("site_id")))
_GIVE = Prepared(insert(RIGHT.id.table))


def may_add(connection: Connection, actor: Actor, kind: str) -> bool:
    """Tell whether a caller may make sites of a type.

    That is who may edit all that there is nothing else of, or has a role that says so.
    """
    if actor.admin:
        return True
    found = _DEFAULT.first(connection, user_id=actor.user_id)
    if found is None or not found[0]:
        return False
    role = _CREATES.first(connection, user_id=actor.user_id, kind=kind)
    return Right.EDIT in Right(found[1] or 0) or (role is not None and bool(role[0]))


def replace_rights(connection: Connection, site_id: int, rights: Mapping[int, Right]) -> None:
    """Give users rights on a site, in place of all that anybody had on it alone."""
    _FORGET.run(connection, site_id=site_id)
    rows = [
        {"user_id": user_id, "site_id": site_id, "rights": int(held)}
        for user_id, held in sorted(rights.items())
    ]
    _GIVE.run_each(connection, rows)
