"""`landing.role.getList`, `getRights` and `isEnabled`: list roles and read their rights."""

from msgspec import Struct, field

from landyard import Call, Example, MissingParams, NeededId
from landyard_landing import errors
from landyard_landing.rights import write_rights
from landyard_roles.group import RoleScopeMismatch, find_role, require_admin, roles, roles_of
from landyard_roles.roles import are_enabled

_ERRORS = (errors.AccessDenied, errors.IsNotAdmin, errors.FeatureNotAvail)


class IsEnabled(Struct, frozen=True):
    """No parameters."""


class GetList(Struct, frozen=True):
    """`scope`: the type of sites for the roles, or none for pages and shops."""

    scope: str | None = None


class GetRights(Struct, frozen=True):
    """`id`: a role's id; `scope`: the type of sites for the role."""

    role_id: NeededId = field(name="id")
    scope: str | None = None


class ListedRole(Struct, frozen=True, rename="upper"):
    """A role in the list."""

    id: str
    title: str
    xml_id: str


@roles.method(
    "landing.role.isEnabled",
    right="administrator",
    errors=_ERRORS,
    example=Example({}, result=False),
)
def is_enabled(call: Call, params: IsEnabled) -> bool:  # noqa: ARG001 - no parameters
    """Answer whether roles are in effect; see landing.role.enable. For administrators."""
    require_admin(call)
    return are_enabled(call.session)


@roles.method(
    "landing.role.getList",
    right="administrator",
    errors=_ERRORS,
    example=Example(
        {},
        result=[
            {"ID": "1", "TITLE": "Administrator", "XML_ID": "ADMIN"},
            {"ID": "2", "TITLE": "Manager", "XML_ID": "MANAGER"},
        ],
    ),
)
def get_list(call: Call, params: GetList) -> list[ListedRole]:
    """List the roles for sites of type `scope`; without it the roles for pages and shops.

    For administrators.
    """
    require_admin(call)
    roles_found = roles_of(call, params.scope)
    return [ListedRole(str(role.id), role.title, role.xml_id) for role in roles_found]


@roles.method(
    "landing.role.getRights",
    right="administrator",
    errors=[*_ERRORS, MissingParams, RoleScopeMismatch],
    example=Example({"id": 1}, result={"0": ["read", "edit", "sett", "public", "delete"]}),
)
def get_rights(call: Call, params: GetRights) -> dict[str, list[str]]:
    """Answer the rights of a role by the ids of sites, `0` for all others; `denied` is none.

    For administrators.
    """
    require_admin(call)
    role = find_role(call, params.role_id, params.scope)
    return {
        str(site_id): write_rights(rights) or ["denied"]
        for site_id, rights in sorted(role.rights.items())
    }
