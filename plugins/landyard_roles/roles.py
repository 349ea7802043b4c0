"""The built-in roles, two for each scope, with their stored rights, extras and access codes."""

from collections.abc import Mapping

from msgspec import Struct
from sqlalchemy import Connection, bindparam, insert, select, update

from landyard import Prepared
from landyard_landing.rights import Right, site_types
from landyard_roles.tables import ROLE, STATE

_ALL = Prepared(select(ROLE.id, ROLE.rights, ROLE.additional, ROLE.codes).order_by(ROLE.id))
_OF_ID = ROLE.id == bindparam("role_id")
_IS_THERE = Prepared(select(ROLE.id).where(_OF_ID), int)
_ADD = Prepared(insert(ROLE.id.table))
_SAVE = Prepared(update(ROLE.id.table).where(_OF_ID))
_ENABLED = Prepared(select(STATE.enabled), bool)
_ENABLE = Prepared(update(STATE.id.table))
_STATE = Prepared(insert(STATE.id.table))
_EXTRAS = ("menu24", "create")


class Role(Struct, frozen=True):
    """A role: the rights on sites of its scope for the users of its access codes.

    `rights` are by the ids of sites, 0 for all others. The scope is "" for pages and shops.
    """

    id: int
    xml_id: str
    title: str
    scope: str
    rights: dict[int, Right]
    additional: list[str] = []
    codes: list[str] = []

    @property
    def site_types(self) -> list[str]:
        """The types of sites to which the role applies."""
        return site_types(self.scope)

    @property
    def extras(self) -> list[str]:
        """The names of possible extras in the role's scope."""
        return [f"{PREFIXES[self.scope]}{name}" for name in _EXTRAS]

    @property
    def creates(self) -> bool:
        """Whether holders of the role may make sites."""
        return f"{PREFIXES[self.scope]}create" in self.additional


PREFIXES: Mapping[str, str] = {
    "": "",
    "KNOWLEDGE": "knowledge_",
    "GROUP": "group_",
    "MAINPAGE": "vibe_",
}
"""The prefixes of the names of extras, by scope."""

_EVERYTHING = Right(31)
_KINDS = (("ADMIN", "Administrator", _EVERYTHING), ("MANAGER", "Manager", _EVERYTHING))
_BUILT_IN = {
    role.id: role
    for role in (
        Role(2 * at + number, xml_id, title, scope, {0: rights}, [])
        for at, scope in enumerate(PREFIXES)
        for number, (xml_id, title, rights) in enumerate(_KINDS, 1)
    )
}


def list_roles(connection: Connection) -> list[Role]:
    """Return all roles, by id, with their stored settings."""
    stored = {row[0]: row[1:] for row in _ALL.all(connection)}
    return [_with_stored(role, stored.get(role.id)) for role in _BUILT_IN.values()]


def save_role(connection: Connection, role: Role) -> None:
    """Store the settings of a role; the caller must hold the lock `roles`."""
    values = {
        "rights": {str(site_id): int(rights) for site_id, rights in role.rights.items()},
        "additional": role.additional,
        "codes": role.codes,
    }
    if _IS_THERE.first(connection, role_id=role.id) is None:
        _ADD.run(connection, id=role.id, **values)
    else:
        _SAVE.run(connection, role_id=role.id, **values)


def are_enabled(connection: Connection) -> bool:
    """Tell whether roles are in effect."""
    return bool(_ENABLED.first(connection))


def enable_roles(connection: Connection, *, enabled: bool) -> None:
    """Put roles into or out of effect; the caller must hold the lock `roles`."""
    if _ENABLED.first(connection) is None:
        _STATE.run(connection, id=1, enabled=enabled)
    else:
        _ENABLE.run(connection, enabled=enabled)


def _with_stored(role: Role, stored: tuple[Mapping[str, int], list[str], list[str]] | None) -> Role:
    if stored is None:
        return role
    rights, additional, codes = stored
    rights_by_site = {int(site_id): Right(each) for site_id, each in rights.items()}
    return Role(role.id, role.xml_id, role.title, role.scope, rights_by_site, additional, codes)
