"""Translates the wire's rights and access codes (`U7`, `AU`), and reads a user's rights."""

import re
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, select

from landyard import Call, Prepared, credentials, one_of
from landyard_landing.rights.site_rights import NO_RIGHTS, Right, rights_of, with_rights
from landyard_landing.tables import ACCESS, SITE

_NAMES = {
    "read": Right.VIEW,
    "edit": Right.EDIT,
    "sett": Right.SETTINGS,
    "public": Right.PUBLISH,
    "delete": Right.DELETE,
}
# The rights by their names on the wire; `denied`, the name for no right, comes in addition.
_USER_CODE = re.compile(r"U([1-9][0-9]{0,8})")
_NOTHING = "denied"
_EVERYBODY = frozenset({"AU", "UA"})
_USER = credentials.USER.c
_ON_SITE: Prepared[Any] = Prepared(
    with_rights(
        select(SITE.id).select_from(SITE.id.table).where(SITE.id == bindparam("site_id")), SITE.id
    )
)
_EXISTING = Prepared(select(_USER.id).where(one_of(_USER.id, "user_ids")), int)
_WITH_ACCESS = Prepared(select(ACCESS.id).where(ACCESS.sites_access), int)


def rights_of_user(connection: Connection, user_id: int, site_id: int) -> Right:
    """Return the rights that a user has on a site now; none for an inactive user.

    For work without a call, such as a delivery or a link that a call has made earlier.
    """
    actor = credentials.actor_of_user(connection, user_id)
    row = _ON_SITE.first(connection, site_id=site_id, user_id=user_id)
    return NO_RIGHTS if actor is None or row is None else rights_of(actor, *row[-4:])


def write_rights(rights: Right) -> list[str]:
    """Write rights by their names on the wire."""
    return [name for name, right in _NAMES.items() if right in rights]


def read_rights(call: Call, names: Iterable[Any]) -> Right:
    """Read rights by their names on the wire; any right implies `read`.

    `denied` is no right. Unknown names are ignored with a warning to the caller.
    """
    found = Right(0)
    for name in names:
        right = _NAMES.get(name.lower()) if isinstance(name, str) else None
        if right:
            found |= right | Right.VIEW
        elif str(name).lower() != _NOTHING:
            names_of_rights = ", ".join([*_NAMES, _NOTHING])
            call.warn(f"'{str(name)[:40]}' is no right and was ignored; rights: {names_of_rights}")
    return found


def users_of_codes(connection: Connection, codes: Collection[str]) -> dict[str, list[int]]:
    """Find the ids of users by access code: `U<id>` is one user, `AU` and `UA` all with access.

    Access means access to sites. Codes of unknown users are left out, and so are codes of groups
    and departments, which the service does not have.
    """
    named = {code: int(user[1]) for code in codes if (user := _USER_CODE.fullmatch(code))}
    existing = {*_EXISTING.all(connection, user_ids=sorted({*named.values()}))}
    found = {code: [user_id] for code, user_id in named.items() if user_id in existing}
    if everybody := _EVERYBODY.intersection(codes):
        found |= dict.fromkeys(everybody, _WITH_ACCESS.all(connection))
    return found
