"""Sessions: how a browser is signed in, and whose session a credential is."""

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
    """Says whose session a credential is. A session may call whatever its user may."""

    def __init__(self, host: Host) -> None:
        """Keep the kernel, which knows the scopes of all methods."""
        self.host = host

    @hookimpl
    def authenticate(self, credential: Credential, connection: Connection) -> Actor | None:
        """Return the user who is signed in; raises `UserAccessError` for one who is not active."""
        if credential.kind != "token":
            return None
        hashed = credentials.digest(credential.secret)
        found = _FIND.first(connection, hashed=hashed)
        if found is None:
            return None
        row_id, user_id, expires_at, name, admin, active = found
        if not active:
            raise UserAccessError
        scopes = frozenset(method.scope for method in self.host.methods)
        return Actor(user_id, f"{_KIND}{row_id}", scopes, name, admin, expires_at)


def session_id(actor: Actor) -> int | None:
    """Return which session calls; None where the credential is a webhook or a token."""
    kind, number = actor.credential.partition(":")[::2]
    return int(number) if f"{kind}:" == _KIND else None


def make_link(host: Host, user_id: int) -> str:
    """Make an address that signs a user in once, within ten minutes."""
    secret = secrets.token_urlsafe(32)
    row = {"digest": credentials.digest(secret), "user_id": user_id}
    row |= {"expires_at": host.now() + LINK_GOOD_FOR}
    host.store.run(lambda unit: unit.connection.execute(LINK.insert().values(**row)), writes=True)
    return f"{host.settings.base}{CONSOLE}/sign-in?key={secret}"


def name_behind(host: Host, secret: str) -> str | None:
    """Return the name of the user whom a link would sign in; None where it is not good."""
    query = (
        select(_USER.c.id, _USER.c.name)
        .join_from(LINK, _USER, _USER.c.id == LINK.c.user_id)
        .where(LINK.c.digest == credentials.digest(secret), LINK.c.expires_at > host.now())
    )
    row = host.store.run(lambda unit: unit.connection.execute(query).first(), writes=False)
    return None if row is None else row.name or str(row.id)


def open_link(host: Host, secret: str) -> int | None:
    """Use a link up; return whom it signs in, or None where it is not good any more."""
    used = delete(LINK).where(LINK.c.digest == credentials.digest(secret))
    found = used.returning(LINK.c.user_id, LINK.c.expires_at)
    row = host.store.run(lambda unit: unit.connection.execute(found).first(), writes=True)
    return None if row is None or row.expires_at <= host.now() else int(row.user_id)


def begin(host: Host, user_id: int, address: str, agent: str) -> Credential:
    """Begin a session, and return its credential, of which the digest alone is kept."""
    secret, now = f"lys_{secrets.token_urlsafe(32)}", host.now()
    lasting = timedelta(hours=host.section(ConsoleSettings).session_hours)
    row = {"user_id": user_id, "digest": credentials.digest(secret), "address": address}
    row |= {"agent": agent[:300], "created_at": now, "expires_at": now + lasting}
    host.store.run(
        lambda unit: unit.connection.execute(SESSION.insert().values(**row)), writes=True
    )
    return Credential("token", secret)


def end(host: Host, credential: Credential) -> None:
    """End the session that a credential is, if it is one."""
    gone = delete(SESSION).where(SESSION.c.digest == credentials.digest(credential.secret))
    host.store.run(lambda unit: unit.connection.execute(gone), writes=True)


def forget(host: Host) -> None:
    """Remove the sessions and links that have expired."""
    now: datetime = host.now()

    def remove(unit: UnitOfWork) -> None:
        for table in (SESSION, LINK):
            unit.connection.execute(delete(table).where(table.c.expires_at <= now))

    host.store.run(remove, writes=True)
