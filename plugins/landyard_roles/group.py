"""What the methods of roles share: their group, who may call them, and how a role is found."""

from landyard import Call, CallError, MethodGroup
from landyard_landing import OPEN_TYPES, IsNotAdmin, require_access
from landyard_roles.roles import Role, list_roles

roles = MethodGroup(scope="landing")


class RoleScopeMismatch(CallError):
    code = "ROLE_SCOPE_MISMATCH"
    text = "There is no such role for sites of this `scope`; landing.role.getList lists them."


def require_admin(call: Call) -> None:
    """Raise `AccessDenied` for who has no access to sites, `IsNotAdmin` for all but admins."""
    require_access(call)
    if not call.actor.admin:
        raise IsNotAdmin


def roles_of(call: Call, scope: str | None) -> list[Role]:
    """List the roles for sites of a scope; those for pages and shops are of none."""
    wanted = (scope or "").upper()
    wanted = "" if wanted in OPEN_TYPES else wanted
    return [role for role in list_roles(call.connection) if role.scope == wanted]


def find_role(call: Call, role_id: int, scope: str | None) -> Role:
    """Find a role for sites of a scope; raises `RoleScopeMismatch`. The call is about it."""
    call.subject = f"role:{role_id}"
    for role in roles_of(call, scope):
        if role.id == role_id:
            return role
    raise RoleScopeMismatch
