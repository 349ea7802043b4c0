"""The method group of roles, its check of the caller, and the look-up of a role."""

from landyard import Call, CallError, MethodGroup
from landyard_landing import errors, rights
from landyard_roles.roles import Role, list_roles

roles = MethodGroup(scope="landing")


class RoleScopeMismatch(CallError):
    code = "ROLE_SCOPE_MISMATCH"
    text = "There is no such role for sites of this `scope`; landing.role.getList lists them."


def require_admin(call: Call) -> None:
    """Raise `AccessDenied` without access to sites, `IsNotAdmin` for all but administrators."""
    rights.require_access(call)
    if not call.actor.admin:
        raise errors.IsNotAdmin


def roles_of(call: Call, scope: str | None) -> list[Role]:
    """Return the roles for a scope; roles for pages and shops have the scope ""."""
    role_scope = (scope or "").upper()
    role_scope = "" if role_scope in rights.site_types(None) else role_scope
    return [role for role in list_roles(call.session) if role.scope == role_scope]


def find_role(call: Call, role_id: int, scope: str | None) -> Role:
    """Return a role of a scope, and note it as the call's subject; raises `RoleScopeMismatch`."""
    call.subject = f"role:{role_id}"
    for role in roles_of(call, scope):
        if role.id == role_id:
            return role
    raise RoleScopeMismatch
