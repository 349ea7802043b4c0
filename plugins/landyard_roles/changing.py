"""`landing.role.enable`, `setRights`, `setAccessCodes`: what roles allow, to whom, or nothing."""

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
from landyard_landing import (
    SITE,
    AccessDenied,
    AnyMap,
    ErrorArgument,
    FeatureNotAvail,
    IsNotAdmin,
    Right,
    read_rights,
    take_turn,
    users_of_codes,
)
from landyard_roles.granting import grant
from landyard_roles.group import RoleScopeMismatch, find_role, require_admin, roles
from landyard_roles.roles import Role, enable_roles, save_role

_ERRORS = (AccessDenied, IsNotAdmin, FeatureNotAvail, MissingParams)
_TYPES = Prepared(select(SITE.id, SITE.type).where(one_of(SITE.id, "site_ids")))


class Enable(Struct, frozen=True):
    """`mode`: whether roles count; `scope` says nothing: they count for all types of sites."""

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
    rights: AnyMap
    additional: list[Any] | None = None
    scope: str | None = None


class SetAccessCodes(Struct, frozen=True):
    """`id`: a role's id; `codes`: access codes of those who have it, `U12` for user 12."""

    role_id: NeededId = field(name="id")
    codes: AnyMap = None
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
    """Let roles count, or with `mode` 0 not.

    What they allow comes besides what users may do by themselves, for users who have access to
    sites. What was said of roles is kept either way. For administrators.
    """
    try:
        mode = _read_mode({"mode": params.mode}).mode
    except WrongType:
        raise MissingParams.named(["mode"]) from None  # it is unusable (C9)
    require_admin(call)
    take_turn(call.connection, "roles")
    enable_roles(call.connection, enabled=mode)
    grant(call.connection)
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
    """Say what a role allows, in place of all that it did.

    `rights` holds lists by the ids of sites, `0` for all others: `read`, `edit`, `sett`, `public`
    and `delete`; `denied`, or an empty list, is nothing. Sites that there are not, and those of
    types that the role is not for, are passed over. `additional` are `create`, to make sites, and
    `menu24`, which is kept; for another `scope` they are `knowledge_create` and so on, `group_…`
    and `vibe_…`; without it they stay. For administrators.
    """
    require_admin(call)
    take_turn(call.connection, "roles")
    role = find_role(call, params.role_id, params.scope)
    given = _lists(params.rights)
    held = {number: read_rights(call, names) for number, names in given.items()}
    types = dict(_TYPES.all(call.connection, site_ids=sorted({*held} - {0})))
    kept = {
        number: rights
        for number, rights in held.items()
        if not number or types.get(number) in role.site_types
    }
    additional = role.additional
    if params.additional is not None:
        additional = [name for name in role.extras if name in params.additional]
        if unknown := [str(each)[:40] for each in params.additional if each not in role.extras]:
            told = f"{', '.join(unknown)[:200]}; these are {', '.join(role.extras)}"
            call.warn(f"additional rights that are not known were passed over: {told}")
    return _save(call, replace(role, rights=_with_default(kept), additional=additional))


@roles.method(
    "landing.role.setAccessCodes",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[*_ERRORS, ErrorArgument, RoleScopeMismatch],
    example=Example({"id": 2, "codes": ["U2"]}, result=True),
)
def set_access_codes(call: Call, params: SetAccessCodes) -> bool:
    """Say who has a role, in place of all who had it; without `codes` nobody has.

    `U<id>` is a user, `AU` and `UA` all users who have access to sites now. Groups and departments,
    which are not here, and unknown users are passed over, and named in the answer's header
    `Landyard-Warning`. For administrators.
    """
    said = as_list(params.codes)
    codes = [] if said is None else said
    if not isinstance(codes, list) or not all(isinstance(each, str) for each in codes):
        raise ErrorArgument("codes", "Parameter 'codes' must be an array of strings.")
    require_admin(call)
    take_turn(call.connection, "roles")
    role = find_role(call, params.role_id, params.scope)
    known = users_of_codes(call.connection, codes)
    if passed_over := [code for code in codes if code not in known]:
        names = ", ".join(passed_over)[:200]
        call.warn(f"access codes that are not known were passed over: {names}")
    return _save(
        call, replace(role, codes=[*dict.fromkeys(each for each in codes if each in known)])
    )


def _save(call: Call, role: Role) -> bool:
    save_role(call.connection, role)
    grant(call.connection)
    return True


def _with_default(rights: dict[int, Right]) -> dict[int, Right]:
    return {0: Right(0), **rights}


def _lists(said: Any) -> dict[int, list[Any]]:
    """Read lists by the ids of sites; a value that is no list is passed over."""
    if isinstance(said, list):
        said = {str(number): each for number, each in enumerate(said)}
    if not isinstance(said, dict):
        raise MissingParams.named(["rights"])  # it is unusable (C9)
    return {
        int(key): names
        for key, value in said.items()
        if key.isascii() and key.isdecimal() and len(key) < 10
        if isinstance(names := as_list(value), list)
    }
