"""`landyard.session.list` and `revoke`, `landyard.password.set`: sessions and passwords."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import delete, select

from landyard import (
    Call,
    CallError,
    Example,
    Irreversible,
    MethodGroup,
    MissingParams,
    NeededId,
    Secret,
    UserAccessError,
    WrongType,
    credentials,
)
from landyard_console.sessions import session_id
from landyard_console.tables import SESSION

# Sessions have this scope by themselves, but webhooks do not: they must not set passwords.
signing_in = MethodGroup(scope="console")
_USER = credentials.USER
_LEAST, _MOST = 10, 200


class PasswordRefused(CallError):
    code = "PASSWORD_REFUSED"
    text = f"A password has {_LEAST} to {_MOST} characters, at least four of them different."


class Nothing(Struct, frozen=True):
    """No parameters."""


class OfSession(Struct, frozen=True):
    """`id`: an id from landyard.session.list."""

    id: NeededId


class NewPassword(Struct, frozen=True):
    """`user_id`: a user's id; `password`: 10 to 200 characters.

    `current`: the present password, if it is the caller's own.
    """

    user_id: NeededId
    password: Annotated[str, Meta(max_length=4096)]
    current: Annotated[str, Meta(max_length=4096)] = ""


class Session(Struct, frozen=True):
    """A browser in which the caller is signed in: `agent` is its `User-Agent`."""

    id: int
    address: str
    agent: str
    created_at: datetime
    expires_at: datetime


@signing_in.method("landyard.session.list", right="none", example=Example({}, result=[]))
def list_sessions(call: Call, _params: Nothing) -> list[Session]:
    """List the sessions of the caller in the console, the latest first."""
    columns = (SESSION.c[name] for name in Session.__struct_fields__)
    query = select(*columns).where(
        SESSION.c.user_id == call.actor.user_id, SESSION.c.expires_at > call.now()
    )
    rows = call.connection.execute(query.order_by(SESSION.c.id.desc()))
    return [Session(**row._asdict()) for row in rows]


@signing_in.method(
    "landyard.session.revoke",
    right="none",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType],
    example=Example({"id": 1}, result=False),
)
def revoke(call: Call, params: OfSession) -> bool:
    """End a session of the caller, and answer whether there was one.

    Workers follow within a second.
    """
    call.subject = f"session:{params.id}"
    ended = delete(SESSION).where(
        SESSION.c.id == params.id, SESSION.c.user_id == call.actor.user_id
    )
    return bool(call.connection.execute(ended).rowcount)


@signing_in.method(
    "landyard.password.set",
    right="one's own; an administrator's for anybody",
    writes=True,
    slow=True,  # hashing is slow, so others must not wait for it
    notes=[Irreversible(), Secret()],
    errors=[MissingParams, WrongType, PasswordRefused, credentials.UserNotFound],
    example=Example({"user_id": 1, "password": "correct horse battery"}, result=True),
)
def set_password(call: Call, params: NewPassword) -> bool:
    """Set a user's password for the console, and end the user's sessions except this one.

    Only its Argon2id hash is stored. Changing one's own password needs the current one. An
    administrator with the scope `admin` can set any user's password.
    """
    from landyard_console import passwords  # imported late: Argon2 is slow to import

    actor, user_id = call.actor, params.user_id
    call.subject = f"user:{user_id}"
    own = user_id == actor.user_id
    if not own and "admin" not in actor.scopes:
        raise UserAccessError("Another user's password is set by an administrator.")
    password = params.password
    if not _LEAST <= len(password) <= _MOST or len({*password}) < 4:
        raise PasswordRefused
    earlier = call.transaction(lambda inside: _find_hash(inside, user_id))
    if own and earlier is not None:
        with call.guess(passwords.guess_of(actor.name, params.current)):
            if not passwords.is_password(earlier, params.current):
                raise PasswordRefused("The current password is another.")
    hashed, keep = passwords.hash_password(password), session_id(actor) if own else None

    def change(inside: Call) -> None:
        if own and _find_hash(inside, user_id) != earlier:
            raise PasswordRefused("The password was changed meanwhile.")
        passwords.set_password(inside.connection, user_id, hashed, keep)

    call.transaction(change, writes=True)
    return True


def _find_hash(call: Call, user_id: int) -> str | None:
    """Return the hash of a user's password, if there is one; raises `UserNotFound`."""
    from landyard_console import passwords

    if call.connection.scalar(select(_USER.c.id).where(_USER.c.id == user_id)) is None:
        raise credentials.UserNotFound
    return passwords.find_hash(call.connection, user_id)
