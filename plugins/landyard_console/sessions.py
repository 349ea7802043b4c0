"""Sessions of signed-in browsers: links that begin one, their credentials, and their end."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from landyard import (
    Actor,
    Credential,
    Host,
    Prepared,
    UnitOfWork,
    UserAccessError,
    credentials,
    hookimpl,
)
from landyard_console.settings import ConsoleSettings
from landyard_console.tables import LINK, SESSION

CONSOLE = "/-/console"
LINK_GOOD_FOR = timedelta(minutes=10)
_KIND = "session:"
_USER = credentials.USER
_FIND: Prepared[Any] = Prepared(
    select(
        *(SESSION.c.id, SESSION.c.user_id, SESSION.c.expires_at),
        *(_USER.c.name, _USER.c.admin, _USER.c.active),
    )
    .join_from(SESSION, _USER, _USER.c.id == SESSION.c.user_id)
    .where(SESSION.c.digest == bindparam("hashed"))
)


class Sessions:
    """Authenticates sessions, which have the scopes of all methods."""

    def __init__(self, host: Host) -> None:
        """Keep the host, for the scopes of all methods."""
        self.host = host

    @hookimpl
    def authenticate(self, credential: Credential, connection: Connection) -> Actor | None:
        """Return the actor of a session; raises `UserAccessError` if the user is not active."""
        if credential.kind != "token":
            return None
        hashed = credentials.digest(credential.secret)
        row = _FIND.first(connection, hashed=hashed)
        if row is None:
            return None
        row_id, user_id, expires_at, name, admin, active = row
        if not active:
            raise UserAccessError
        scopes = frozenset(method.scope for method in self.host.methods)
        return Actor(user_id, f"{_KIND}{row_id}", scopes, name, admin, expires_at)


def session_id(actor: Actor) -> int | None:
    """Return the id of the calling session; None if the credential is a webhook or token."""
    kind, number = actor.credential.partition(":")[::2]
    return int(number) if f"{kind}:" == _KIND else None


def make_link(host: Host, user_id: int) -> str:
    """Return an address that signs a user in once, within ten minutes."""
    secret = secrets.token_urlsafe(32)
    row = {"digest": credentials.digest(secret), "user_id": user_id}
    row |= {"expires_at": host.now() + LINK_GOOD_FOR}
    host.store.run(lambda unit: unit.connection.execute(LINK.insert().values(**row)), writes=True)
    return f"{host.settings.base}{CONSOLE}/sign-in?key={secret}"


def name_behind(host: Host, secret: str) -> str | None:
    """Return the name of the user whom a link would sign in; None if it is invalid."""
    query = (
        select(_USER.c.id, _USER.c.name)
        .join_from(LINK, _USER, _USER.c.id == LINK.c.user_id)
        .where(LINK.c.digest == credentials.digest(secret), LINK.c.expires_at > host.now())
    )
    row = host.store.run(lambda unit: unit.connection.execute(query).first(), writes=False)
    return None if row is None else row.name or str(row.id)


def open_link(host: Host, secret: str) -> int | None:
    """Use up a link, and return the id of its user; None if it is invalid."""
    used = delete(LINK).where(LINK.c.digest == credentials.digest(secret))
    deleted = used.returning(LINK.c.user_id, LINK.c.expires_at)
    row = host.store.run(lambda unit: unit.connection.execute(deleted).first(), writes=True)
    return None if row is None or row.expires_at <= host.now() else int(row.user_id)


def begin(host: Host, user_id: int, address: str, agent: str) -> Credential:
    """Begin a session, and return its credential, of which only a digest is stored."""
    secret, now = f"lys_{secrets.token_urlsafe(32)}", host.now()
    lasting = timedelta(hours=host.section(ConsoleSettings).session_hours)
    row = {"user_id": user_id, "digest": credentials.digest(secret), "address": address}
    row |= {"agent": agent[:300], "created_at": now, "expires_at": now + lasting}
    host.store.run(
        lambda unit: unit.connection.execute(SESSION.insert().values(**row)), writes=True
    )
    return Credential("token", secret)


def end(host: Host, credential: Credential) -> None:
    """End the session of a credential, if it has one."""
    ended = delete(SESSION).where(SESSION.c.digest == credentials.digest(credential.secret))
    host.store.run(lambda unit: unit.connection.execute(ended), writes=True)


def forget(host: Host) -> None:
    """Remove expired sessions and links."""
    now: datetime = host.now()

    def remove(unit: UnitOfWork) -> None:
        for table in (SESSION, LINK):
            unit.connection.execute(delete(table).where(table.c.expires_at <= now))

    host.store.run(remove, writes=True)
