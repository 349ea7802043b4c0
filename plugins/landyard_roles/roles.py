"""The built-in roles, two for each scope, with their stored rights, extras and access codes."""

from collections.abc import Mapping

from msgspec import Struct, structs
from sqlmodel import Session, select

from landyard_landing.rights import Right, site_types
from landyard_roles.tables import RoleSettings, RolesSwitch

_SWITCH = 1  # the id of the single row
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


def list_roles(session: Session) -> list[Role]:
    """Return all roles, by id, with their stored settings."""
    stored = {each.id: each for each in session.exec(select(RoleSettings))}
    return [_with_stored(role, stored.get(role.id)) for role in _BUILT_IN.values()]


def save_role(session: Session, role: Role) -> None:
    """Store the settings of a role; the caller must hold the lock `roles`."""
    rights = {str(site_id): int(each) for site_id, each in role.rights.items()}
    session.merge(
        RoleSettings(id=role.id, rights=rights, additional=role.additional, codes=role.codes)
    )


def are_enabled(session: Session) -> bool:
    """Tell whether roles are in effect."""
    switch = session.get(RolesSwitch, _SWITCH)
    return switch is not None and switch.enabled


def enable_roles(session: Session, *, enabled: bool) -> None:
    """Put roles into or out of effect; the caller must hold the lock `roles`."""
    session.merge(RolesSwitch(id=_SWITCH, enabled=enabled))


def _with_stored(role: Role, stored: RoleSettings | None) -> Role:
    if stored is None:
        return role
    rights = {int(site_id): Right(each) for site_id, each in stored.rights.items()}
    return structs.replace(role, rights=rights, additional=stored.additional, codes=stored.codes)
