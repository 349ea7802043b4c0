"""Rights of users on a site: read as clients name them, and replaced."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from landyard import Actor, Prepared, credentials, one_of, table_of
from landyard_landing import ACCESS, RIGHT, Right

NAMES = {
    "read": Right.VIEW,
    "edit": Right.EDIT,
    "sett": Right.SETTINGS,
    "public": Right.PUBLISH,
    "delete": Right.DELETE,
}
"""The rights by their names on the wire; besides there is `denied`, which is none."""

_USER = table_of(credentials.User).c
_KNOWN = Prepared(select(_USER.id).where(one_of(_USER.id, "user_ids")), int)
_WITH_ACCESS = Prepared(select(ACCESS.id).where(ACCESS.sites_access), int)
_DEFAULT = Prepared(
    select(ACCESS.sites_access, ACCESS.rights).where(ACCESS.id == bindparam("user_id"))
)
_FORGET = Prepared(delete(RIGHT.id.table).where(RIGHT.site_id == bindparam("site_id")))
_GIVE = Prepared(insert(RIGHT.id.table))


def wire_rights(rights: Right) -> list[str]:
    """Name rights as clients do."""
    return [name for name, right in NAMES.items() if right in rights]


def read_rights(names: Iterable[Any]) -> Right:
    """Read rights as clients name them; any implies to read, unknown names count for nothing."""
    found = Right(0)
    for name in names:
        if isinstance(name, str) and (right := NAMES.get(name.lower())):
            found |= right | Right.VIEW
    return found


def may_add(connection: Connection, actor: Actor) -> bool:
    """Tell whether a caller may make sites: one who may edit all that there is nothing else of."""
    if actor.admin:
        return True
    found = _DEFAULT.first(connection, user_id=actor.user_id)
    return found is not None and bool(found[0]) and Right.EDIT in Right(found[1] or 0)


def users_with_access(connection: Connection) -> list[int]:
    """List the users who may use the sites section."""
    return _WITH_ACCESS.all(connection)


def known_users(connection: Connection, user_ids: Collection[int]) -> set[int]:
    """Tell which of these users there are."""
    return set(_KNOWN.all(connection, user_ids=[*user_ids]))


def replace_rights(connection: Connection, site_id: int, rights: Mapping[int, Right]) -> None:
    """Give users rights on a site, in place of all that anybody had on it alone."""
    _FORGET.run(connection, site_id=site_id)
    rows = [
        {"user_id": user_id, "site_id": site_id, "rights": int(held)}
        for user_id, held in sorted(rights.items())
    ]
    _GIVE.run_each(connection, rows)
