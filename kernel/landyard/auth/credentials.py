"""Users, webhooks and tokens: their tables, and how one is looked up and issued.

Secrets are stored as SHA-256 digests only. That is enough for 256 random bits; those an operator
chooses must have 16 characters.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Table, bindparam, select, update
from sqlmodel import Field, Session, SQLModel

from landyard.auth.secret import new_secret
from landyard.core.calls import Actor, Credential
from landyard.core.errors import CallError, ExpiredToken, UserAccessError
from landyard.storage.prepared import Moment, Prepared
from landyard.storage.schema import table_of
from landyard.storage.store import Store

_SCOPE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_NOTED_EVERY = timedelta(minutes=1)


class User(SQLModel, table=True):
    """Somebody on whose behalf calls are made; `admin` has every right everywhere."""

    __tablename__ = "landyard_user"

    id: int | None = Field(default=None, primary_key=True)
    name: str = ""
    admin: bool = False
    active: bool = True


class CredentialRow(SQLModel):
    """What webhooks and tokens have in common. `scopes` are separated by spaces.

    Without `expires_at` a credential works until it is revoked. `last_used_at` is written after
    the calls, to the minute. `replaced_by` is the row that it was rotated to.
    """

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    last_used_at: datetime | None = Field(default=None, sa_type=Moment)
    replaced_by: int | None = None


class Webhook(CredentialRow, table=True):
    """An inbound webhook: a secret in the path of a call."""

    __tablename__ = "landyard_webhook"


class Token(CredentialRow, table=True):
    """An access token: a secret in a header or a field of a call."""

    __tablename__ = "landyard_token"


Model = type[Webhook] | type[Token]


class UserNotFound(CallError):
    code = "USER_NOT_FOUND"
    text = "There is no such user; landyard.user.list lists them."


class Refused(Exception):
    """There cannot be such a user, or such a successor of a credential; the text says why."""


class Issued(Struct, frozen=True):
    """A credential just made. `secret` is not stored: this is the only time to show it."""

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None


def digest(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def usable_scope(scope: str) -> bool:
    """Tell whether a permission scope is one word: they are stored separated by spaces."""
    return _SCOPE.fullmatch(scope) is not None


def look_up(credential: Credential, connection: Connection, now: datetime) -> Actor | None:
    """Return whose webhook or token this is; None unless it is known, active and unexpired.

    An unknown, revoked or expired webhook and one with another user's id cost the same work, so
    that the time of an answer tells nothing. Behind a right secret the reason is told: raises
    `ExpiredToken` for a token, `UserAccessError` for an inactive user (C13, C15).
    """
    hashed = digest(credential.secret)
    found = _FIND[credential.kind].first(connection, hashed=hashed) or _NO_ROW
    row_id, user_id, stored, scopes, active, expires_at, name, admin, user_active = found
    right = hmac.compare_digest(stored, hashed) & active
    in_time = expires_at is None or expires_at > now
    if credential.kind == "webhook":
        right &= (str(user_id) == credential.user) & in_time
    if not right:
        return None
    if not in_time:
        raise ExpiredToken
    if not user_active:
        raise UserAccessError
    known, granted = f"{credential.kind}:{row_id}", frozenset(scopes.split())
    return Actor(user_id, known, granted, name, admin, expires_at)


def free_name(session: Session, name: str, user_id: int | None = None) -> str:
    """Return a name that a user, or the one with this id, can have; raises `Refused`."""
    name, users = name.strip(), table_of(User)
    if not name:
        raise Refused("a user needs a name")
    taken = session.scalar(
        select(users.c.id).where(users.c.name == name, users.c.id != (user_id or 0))
    )
    if taken:
        raise Refused(f"user {taken} is called {name} already; choose another name")
    return name


def add_user(session: Session, name: str, *, admin: bool = False) -> int:
    """Add a user and return the id; raises `Refused` where nobody would know who is meant."""
    name, users = free_name(session, name), table_of(User)
    made = users.insert().values(name=name, admin=admin).returning(users.c.id)
    return int(session.execute(made).scalar_one())


def issue(
    session: Session,
    model: Model,
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Make a webhook or token with a new secret, for a user that exists."""
    secret = new_secret("webhook" if model is Webhook else "token")
    made = model(
        user_id=user_id, digest=digest(secret), scopes=scopes, title=title, expires_at=expires_at
    )
    session.add(made)
    session.flush()
    assert made.id is not None
    return Issued(made.id, user_id, secret, expires_at)


def webhook_address(base: str, made: Issued) -> str:
    """Return what the addresses of calls with a new webhook begin with; `base` is the service's."""
    return f"{base}/rest/{made.user_id}/{made.secret}/"


def add_webhook(
    base: str, session: Session, user_id: int, *, scopes: tuple[str, ...], title: str
) -> str:
    """Add a webhook and return its address, which nobody can look up later."""
    made = issue(session, Webhook, user_id, scopes=" ".join(scopes), title=title)
    return webhook_address(base, made)


def note_used(store: Store, used: Mapping[str, datetime]) -> None:
    """Write what `CredentialCache.take_used` returned; names of plugins' credentials are skipped.

    Only what is a minute newer than what is stored: most of the time this costs one read.
    """
    for model in (Webhook, Token):
        kind = f"{model.__name__.lower()}:"
        ours = {name.removeprefix(kind): at for name, at in used.items() if name.startswith(kind)}
        if ids := {int(number): at for number, at in ours.items() if number.isdecimal()}:
            _note(store, table_of(model), ids)


def _note(store: Store, table: Table, ids: Mapping[int, datetime]) -> None:
    # In one order, so that two processes never wait for each other.
    known = select(table.c.id, table.c.last_used_at).where(table.c.id.in_(ids))
    with store.session() as session:
        due = [
            {"row": row.id, "moment": ids[row.id]}
            for row in session.execute(known.order_by(table.c.id))
            if row.last_used_at is None or row.last_used_at < ids[row.id] - _NOTED_EVERY
        ]
    noted = update(table).where(table.c.id == bindparam("row"))
    noted = noted.values(last_used_at=bindparam("moment", type_=Moment))
    if due:
        store.run(lambda unit: unit.connection.execute(noted, due), writes=True)


def _find(model: Model) -> Prepared[Any]:
    """Find a credential by its digest, together with its user."""
    shown, user = table_of(model).c, table_of(User).c
    columns = (shown.id, shown.user_id, shown.digest, shown.scopes, shown.active, shown.expires_at)
    return Prepared(
        select(*columns, user.name, user.admin, user.active.label("user_active"))
        .join_from(table_of(model), table_of(User), user.id == shown.user_id)
        .where(shown.digest == bindparam("hashed"))
    )


# Stands for a row that was not found, so that the comparison costs the same work.
_NO_ROW = (0, 0, "0" * 64, "", False, None, "", False, False)
_FIND = {"webhook": _find(Webhook), "token": _find(Token)}
