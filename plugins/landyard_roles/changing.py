"""`landing.role.enable`, `setRights`, `setAccessCodes`: change roles, and switch them on or off."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace
from sqlalchemy import select

from landyard import (
    Call,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    ParamsReader,
    Prepared,
    WrongType,
    as_list,
    one_of,
)
from landyard_landing import advisory_lock, arguments, errors, tables
from landyard_landing.rights import Right, read_rights, users_of_codes
from landyard_roles.granting import grant
from landyard_roles.group import RoleScopeMismatch, find_role, require_admin, roles
from landyard_roles.roles import Role, enable_roles, save_role

_ERRORS = (errors.AccessDenied, errors.IsNotAdmin, errors.FeatureNotAvail, MissingParams)
_TYPES = Prepared(
    select(tables.SITE.id, tables.SITE.type).where(one_of(tables.SITE.id, "site_ids"))
)


class Enable(Struct, frozen=True):
    """`mode`: whether roles are in effect; `scope` is ignored: they apply to all site types."""

    mode: Annotated[
        Any,
        Meta(description="boolean", extra_json_schema={"type": ["boolean", "integer", "string"]}),
    ]
    scope: str | None = None


class _Mode(Struct, frozen=True):
    mode: bool


_read_mode = ParamsReader(_Mode)


class SetRights(Struct, frozen=True):
    """`id`: a role's id; `rights`: lists of rights by the ids of sites; `additional`: extras."""

    role_id: NeededId = field(name="id")
    rights: arguments.AnyMap
    additional: list[Any] | None = None
    scope: str | None = None


class SetAccessCodes(Struct, frozen=True):
    """`id`: a role's id; `codes`: access codes of its holders, `U12` for user 12."""

    role_id: NeededId = field(name="id")
    codes: arguments.AnyMap = None
    scope: str | None = None


@roles.method(
    "landing.role.enable",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=_ERRORS,
    example=Example({"mode": 1}, result=True),
)
def enable(call: Call, params: Enable) -> bool:
    """Put roles into effect, or with `mode` 0 out of effect.

    Roles add to the users' own rights, for users who have access to sites. The settings of roles
    are kept either way. For administrators.
    """
    try:
        mode = _read_mode({"mode": params.mode}).mode
    except WrongType:
        raise MissingParams.named(["mode"]) from None  # it is unusable (C9)
    require_admin(call)
    advisory_lock.acquire(call.connection, "roles")
    enable_roles(call.session, enabled=mode)
    grant(call.session)
    return True


@roles.method(
    "landing.role.setRights",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_ERRORS, RoleScopeMismatch],
    example=Example({"id": 2, "rights": {"0": ["read"], "1": ["read", "edit"]}}, result=True),
)
def set_rights(call: Call, params: SetRights) -> bool:
    """Set the rights of a role, replacing its earlier ones.

    `rights` holds lists by the ids of sites, `0` for all others: `read`, `edit`, `sett`, `public`
    and `delete`; `denied`, or an empty list, means none. Unknown sites, and sites of types outside
    the role's scope, are ignored. `additional` may have `create`, to make sites, and `menu24`,
    which is only stored. For another `scope` the names are `knowledge_create` etc., `group_…` and
    `vibe_…`. Without `additional` the earlier ones stay. For administrators.
    """
    require_admin(call)
    advisory_lock.acquire(call.connection, "roles")
    role = find_role(call, params.role_id, params.scope)
    names_by_site = _lists(params.rights)
    rights_by_site = {number: read_rights(call, names) for number, names in names_by_site.items()}
    types = dict(_TYPES.all(call.connection, site_ids=sorted({*rights_by_site} - {0})))
    accepted = {
        number: rights
        for number, rights in rights_by_site.items()
        if not number or types.get(number) in role.site_types
    }
    additional = role.additional
    if params.additional is not None:
        additional = [name for name in role.extras if name in params.additional]
        if unknown := [str(each)[:40] for each in params.additional if each not in role.extras]:
            hint = f"{', '.join(unknown)[:200]}; these are {', '.join(role.extras)}"
            call.warn(f"unknown additional rights were ignored: {hint}")
    return _save(call, replace(role, rights=_with_default(accepted), additional=additional))


@roles.method(
    "landing.role.setAccessCodes",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_ERRORS, arguments.ErrorArgument, RoleScopeMismatch],
    example=Example({"id": 2, "codes": ["U2"]}, result=True),
)
def set_access_codes(call: Call, params: SetAccessCodes) -> bool:
    """Set the holders of a role, replacing earlier ones; without `codes` it has none.

    `U<id>` is a user, `AU` and `UA` all users who have access to sites now. Codes of groups,
    departments and unknown users are ignored, and named in the answer's header `Landyard-Warning`.
    For administrators.
    """
    sent_codes = as_list(params.codes)
    codes = [] if sent_codes is None else sent_codes
    if not isinstance(codes, list) or not all(isinstance(each, str) for each in codes):
        raise arguments.ErrorArgument("codes", "Parameter 'codes' must be an array of strings.")
    require_admin(call)
    advisory_lock.acquire(call.connection, "roles")
    role = find_role(call, params.role_id, params.scope)
    users = users_of_codes(call.connection, codes)
    if ignored := [code for code in codes if code not in users]:
        names = ", ".join(ignored)[:200]
        call.warn(f"unknown access codes were ignored: {names}")
    return _save(
        call, replace(role, codes=[*dict.fromkeys(each for each in codes if each in users)])
    )


def _save(call: Call, role: Role) -> bool:
    save_role(call.session, role)
    grant(call.session)
    return True


def _with_default(rights: dict[int, Right]) -> dict[int, Right]:
    return {0: Right(0), **rights}


def _lists(sent: Any) -> dict[int, list[Any]]:
    """Return lists by the ids of sites; values that are no lists are ignored."""
    if isinstance(sent, list):
        sent = {str(number): each for number, each in enumerate(sent)}
    if not isinstance(sent, dict):
        raise MissingParams.named(["rights"])  # it is unusable (C9)
    return {
        int(key): names
        for key, value in sent.items()
        if key.isascii() and key.isdecimal() and len(key) < 10
        if isinstance(names := as_list(value), list)
    }
