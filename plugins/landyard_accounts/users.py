"""`landyard.user.list`, `add`, `update` and `revoke`: management of users."""

from msgspec import UNSET, Struct, UnsetType

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
from landyard_accounts import creation
from landyard_accounts.group import (
    AccountRefused,
    LastAdministrator,
    accounts,
    hold_administrators,
    require_way_back,
)
from landyard_accounts.rows import all_rows, revoke


class ListUsers(Struct, frozen=True):
    """`start`: the offset of the first user to answer."""

    start: int = 0


class AddUser(Struct, frozen=True):
    """`name`: a unique name; `admin`: whether the user has every right everywhere."""

    name: str
    admin: bool = False


class UpdateUser(Struct, frozen=True):
    """`id`: a user's id. Fields left out stay as they are."""

    id: NeededId
    name: str | UnsetType = UNSET
    admin: bool | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class OfUser(Struct, frozen=True):
    """`id`: a user's id."""

    id: NeededId


class ListedUser(Struct, frozen=True):
    """A user: `admin` has every right everywhere; only an `active` user can call methods."""

    id: int
    name: str
    admin: bool
    active: bool


@accounts.method(
    "landyard.user.list",
    right="administrator",
    errors=[WrongType],
    example=Example({}, result=[{"id": 1, "name": "Demo", "admin": True, "active": True}]),
)
def list_users(call: Call, params: ListUsers) -> Paged[ListedUser]:
    """List the users by their ids, also revoked ones.

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    query = all_rows(credentials.User)
    return read_page(call.connection, query, params.start, lambda row: ListedUser(**row._asdict()))


@accounts.method(
    "landyard.user.add",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, AccountRefused],
    example=Example({"name": "Ben"}, result=2),
)
def add_user(call: Call, params: AddUser) -> int:
    """Add a user with a unique name, and answer the id."""
    try:
        user_id = creation.add_user(call.session, params.name, admin=params.admin)
    except credentials.Refused as refused:
        raise AccountRefused(f"{refused}.") from refused
    call.subject = f"user:{user_id}"
    return user_id


@accounts.method(
    "landyard.user.update",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, credentials.UserNotFound, AccountRefused, LastAdministrator],
    example=Example({"id": 1, "name": "Ann"}, result=True),
)
def update_user(call: Call, params: UpdateUser) -> bool:
    """Change a user's name, administrator status, or reactivate a revoked user.

    Refused if nobody could take it back: an active administrator with a webhook or token of scope
    `admin` must remain. Workers follow within a second.
    """
    call.subject = f"user:{params.id}"
    hold_administrators(call)
    user = call.session.get(credentials.User, params.id, with_for_update=True)
    if user is None:
        raise credentials.UserNotFound
    if not isinstance(params.name, UnsetType):
        try:
            user.name = creation.free_name(call.session, params.name, params.id)
        except credentials.Refused as refused:
            raise AccountRefused(f"{refused}.") from refused
    if not isinstance(params.admin, UnsetType):
        user.admin = params.admin
    if not isinstance(params.active, UnsetType):
        user.active = params.active
    require_way_back(call)
    return True


@accounts.method(
    "landyard.user.revoke",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, credentials.UserNotFound, LastAdministrator],
    example=Example({"id": 2}, result=True),
)
def revoke_user(call: Call, params: OfUser) -> bool:
    """Revoke a user: within a second the user's webhooks and tokens stop working.

    Refused if nobody could take it back, as in `landyard.user.update`.
    """
    call.subject = f"user:{params.id}"
    hold_administrators(call)
    if not revoke(call.session, credentials.User, params.id):
        raise credentials.UserNotFound
    require_way_back(call)
    return True
