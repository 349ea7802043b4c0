"""`landyard.right.list` and `set`: users' rights on sites (decisions, section 2)."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import delete, insert, select

from landyard import (
    Call,
    Example,
    Irreversible,
    MissingParams,
    NeededId,
    Paged,
    WrongType,
    credentials,
    read_page,
)
from landyard_landing import errors, events, tables
from landyard_landing.rights import Right
from landyard_sitekit.operator.group import admin
from landyard_sitekit.world.right_names import right_names, right_set

_USER = credentials.USER.c
_DEFAULT = "*"


class ListRights(Struct, frozen=True):
    """`start`: the offset of the first user to answer."""

    start: int = 0


class SetRights(Struct, frozen=True):
    """`user_id`: a user's id. A parameter that is not sent changes nothing.

    `rights` are lists of rights by site id; `*` is the default for all sites. They replace all
    rights that the user had.
    """

    user_id: NeededId
    sites_access: bool | UnsetType = UNSET
    rights: dict[str, list[str]] | UnsetType = UNSET


class UserRights(Struct, frozen=True):
    """A user's rights: lists by site id, and by `*` the default for all sites.

    They count only while the user has `sites_access`; an `admin` has every right.
    """

    user_id: int
    name: str
    admin: bool
    sites_access: bool
    rights: dict[str, list[str]]


@admin.method(
    "landyard.right.list",
    right="administrator",
    errors=[WrongType],
    example=Example(
        {},
        result=[{"user_id": 1, "name": "Demo", "admin": True, "sites_access": True, "rights": {}}],
    ),
)
def list_rights(call: Call, params: ListRights) -> Paged[UserRights]:
    """List each user's rights on sites, in the order of the users' ids.

    The rights are `view`, `edit`, `settings`, `publish` and `delete`. At most 50 users are
    answered; where more remain the envelope carries `next` and `total`.
    """
    query = (
        select(_USER.id, _USER.name, _USER.admin, tables.ACCESS.sites_access, tables.ACCESS.rights)
        .join(tables.ACCESS.id.table, tables.ACCESS.id == _USER.id, isouter=True)
        .order_by(_USER.id)
    )
    found = read_page(
        call.connection,
        query,
        params.start,
        lambda row: UserRights(
            row.id,
            row.name,
            row.admin,
            bool(row.sites_access),
            {} if row.rights is None else {_DEFAULT: right_names(row.rights)},
        ),
    )
    by_user = {each.user_id: each.rights for each in found.items}
    own = select(tables.RIGHT.user_id, tables.RIGHT.site_id, tables.RIGHT.rights).where(
        tables.RIGHT.user_id.in_(by_user)
    )
    for row in call.connection.execute(own.order_by(tables.RIGHT.site_id)):
        by_user[row.user_id][str(row.site_id)] = right_names(row.rights)
    return found


@admin.method(
    "landyard.right.set",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, credentials.UserNotFound, errors.SiteNotFound],
    example=Example(
        {"user_id": 1, "sites_access": True, "rights": {"*": ["view"], "1": ["edit", "publish"]}},
        result=True,
    ),
)
def set_rights(call: Call, params: SetRights) -> bool:
    """Set a user's rights on sites, in place of the former ones.

    The rights are `view`, `edit`, `settings`, `publish` and `delete`; each implies `view`. A site's
    own list, even an empty one, replaces the default.
    """
    call.subject = f"user:{params.user_id}"
    held = select(_USER.id).where(_USER.id == params.user_id).with_for_update()
    if call.connection.execute(held).first() is None:
        raise credentials.UserNotFound
    stored = select(*tables.ACCESS).where(tables.ACCESS.id == params.user_id)
    before = call.connection.execute(stored).first()
    access, default = (before.sites_access, before.rights) if before else (False, None)
    if not isinstance(params.sites_access, UnsetType):
        access = params.sites_access
    if not isinstance(params.rights, UnsetType):
        rights = _read(params.rights)
        default = int(rights.pop(_DEFAULT)) if _DEFAULT in rights else None
        _replace(call, params.user_id, {int(site): held for site, held in rights.items()})
    call.connection.execute(
        delete(tables.ACCESS.id.table).where(tables.ACCESS.id == params.user_id)
    )
    row = {"id": params.user_id, "sites_access": access, "rights": default}
    call.connection.execute(insert(tables.ACCESS.id.table), row)
    return True


def _read(rights: Mapping[str, list[str]]) -> dict[str, Right]:
    found: dict[str, Right] = {}
    for site, names in rights.items():
        is_id = site.isascii() and site.isdecimal() and 0 < int(site[:10]) < 2**31
        if site != _DEFAULT and (not is_id or len(site) > len("2147483647")):
            raise WrongType.of("rights", "an object whose keys are ids of sites or *", site)
        try:
            found[site] = right_set(names)
        except KeyError:
            valid = ", ".join(right_names(sum(Right)))
            raise WrongType.of(f"rights.{site}", f"an array of {valid}", names) from None
    return found


def _replace(call: Call, user_id: int, rights: Mapping[int, Right]) -> None:
    """Replace the user's own rights on single sites; raises `SiteNotFound`."""
    sites = (
        select(tables.SITE.id)
        .where(tables.SITE.id.in_(rights))
        .with_for_update(read=True, key_share=True)
    )
    existing = set(call.connection.execute(sites.order_by(tables.SITE.id)).scalars())
    if missing := sorted(rights.keys() - existing):
        raise errors.SiteNotFound(f"There is no site {missing[0]}.")
    clear = (
        delete(tables.RIGHT.id.table)
        .where(tables.RIGHT.user_id == user_id)
        .returning(tables.RIGHT.site_id)
    )
    cleared = set(call.connection.execute(clear).scalars())
    rows = [
        {"user_id": user_id, "site_id": site, "rights": int(held)} for site, held in rights.items()
    ]
    if rows:
        call.connection.execute(insert(tables.RIGHT.id.table), rows)
    for site in sorted(cleared | existing):
        events.announce_site(call, "changed", site)
