"""The tables of users, webhooks and tokens, and the look-up of a credential in them.

Secrets are stored as SHA-256 digests only. That is enough for 256 random bits; those an operator
chooses must have 16 characters.
"""

import hashlib
import hmac
import re
import secrets
import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Table, bindparam, select
from sqlmodel import Field

from landyard.core.calls import Actor, Credential
from landyard.core.errors import CallError, ExpiredToken, UserAccessError
from landyard.storage.prepared import Moment, Prepared
from landyard.storage.schema import Base, table_of
from landyard.storage.store import Store, UnitOfWork

_SCOPE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_OURS = re.compile(r"(ly[wt]_[A-Za-z0-9_-]{43})([0-9a-f]{8})")
_NOTED_EVERY = timedelta(minutes=1)


class User(Base, table=True):
    """Somebody on whose behalf calls are made; `admin` has every right everywhere."""

    __tablename__ = "landyard_user"

    id: int | None = Field(default=None, primary_key=True)
    name: str = ""
    admin: bool = False
    active: bool = True


class _Secret(Base):
    """The columns of webhooks and tokens. Their `scopes` are separated by spaces.

    Without `expires_at` a credential works until it is revoked. `last_used_at` is written after
    the calls, to the minute. `replaced_by` is the row that it was rotated to.
    """

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", ondelete="CASCADE", index=True)
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    last_used_at: datetime | None = Field(default=None, sa_type=Moment)
    replaced_by: int | None = None


class Webhook(_Secret, table=True):
    """An inbound webhook: a secret in the path of a call."""

    __tablename__ = "landyard_webhook"


class Token(_Secret, table=True):
    """An access token: a secret in a header or a field of a call."""

    __tablename__ = "landyard_token"


USER, WEBHOOK, TOKEN = table_of(User), table_of(Webhook), table_of(Token)


class UserNotFound(CallError):
    code = "USER_NOT_FOUND"
    text = "There is no such user; landyard.user.list lists them."


class Refused(Exception):
    """There cannot be such a user, or such a successor of a credential; the text says why."""


def new_secret(kind: Literal["webhook", "token"]) -> str:
    """Make a secret of 256 random bits; scanners find it by its prefix and its checksum."""
    text = f"ly{kind[0]}_{secrets.token_urlsafe(32)}"
    return text + _checksum(text)


def mistyped(secret: str) -> bool:
    """Tell whether a secret looks like one of these, but has a wrong checksum."""
    ours = _OURS.fullmatch(secret)
    return ours is not None and ours[2] != _checksum(ours[1])


def _checksum(text: str) -> str:
    """CRC-32 in hex: no proof of anything, anybody can compute it."""
    return f"{zlib.crc32(text.encode()):08x}"


def digest(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def usable_scope(scope: str) -> bool:
    """Tell whether a permission scope is one word: they are stored separated by spaces."""
    return _SCOPE.fullmatch(scope) is not None


def look_up(credential: Credential, unit: UnitOfWork, now: datetime) -> Actor | None:
    """Return whose webhook or token this is; None unless it is known, active and unexpired.

    An unknown, revoked or expired webhook costs the same work as a webhook with another user's
    id: the time of an answer tells nothing. Behind a right secret the reason is told: raises
    `ExpiredToken` for a token, `UserAccessError` for an inactive user (C13, C15).
    """
    hashed = digest(credential.secret)
    found = _FIND[credential.kind].first(unit.connection, hashed=hashed) or _NO_ROW
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


def scopes_now(connection: Connection, name: str, now: datetime) -> frozenset[str] | None:
    """Return the scopes of a webhook or token by its name, such as `webhook:7`.

    None for one that is revoked, expired or not there. One that was rotated has those of its
    successor.
    """
    kind, _, number = name.partition(":")
    query, seen = _SCOPES.get(kind), set[int]()
    row_id = int(number) if number.isdecimal() else 0
    while query is not None and row_id and row_id not in seen:
        seen.add(row_id)
        found = query.first(connection, row_id=row_id)
        if found is None:
            return None
        scopes, active, expires_at, replaced_by = found
        if active and (expires_at is None or expires_at > now):
            return frozenset(scopes.split())
        row_id = replaced_by
    return None


def actor_of_user(connection: Connection, user_id: int) -> Actor | None:
    """Return an active user without a credential; None for one who is inactive or not there.

    A delivery asks this, which happens on behalf of a user long after the call. The actor has no
    scopes.
    """
    found = _ACTIVE_USER.first(connection, user_id=user_id)
    if found is None:
        return None
    name, admin = found
    return Actor(user_id, f"user:{user_id}", frozenset(), name, admin)


def note_used(store: Store, used: Mapping[str, datetime]) -> None:
    """Write what `CredentialCache.take_used` returned; names of plugins' credentials are skipped.

    Only what is a minute off what is stored: most of the time this costs one read. Where a clock
    was ahead that may be an earlier moment.
    """
    for kind, table in (("webhook:", WEBHOOK), ("token:", TOKEN)):
        ours = {name.removeprefix(kind): at for name, at in used.items() if name.startswith(kind)}
        if ids := {int(number): at for number, at in ours.items() if number.isdecimal()}:
            _note(store, table, ids)


def _note(store: Store, table: Table, ids: Mapping[int, datetime]) -> None:
    # In one order, so that two processes never wait for each other.
    known = select(table.c.id, table.c.last_used_at).where(table.c.id.in_(ids))
    with store.unit(writes=False) as unit:
        due = [
            {"row": row.id, "moment": ids[row.id]}
            for row in unit.connection.execute(known.order_by(table.c.id))
            if row.last_used_at is None or abs(ids[row.id] - row.last_used_at) > _NOTED_EVERY
        ]
    noted = table.update().where(table.c.id == bindparam("row"))
    noted = noted.values(last_used_at=bindparam("moment", type_=Moment))
    if due:
        store.run(lambda unit: unit.connection.execute(noted, due), writes=True)


def _find(table: Table) -> Prepared[Any]:
    shown, user = table.c, USER.c
    columns = (shown.id, shown.user_id, shown.digest, shown.scopes, shown.active, shown.expires_at)
    return Prepared(
        select(*columns, user.name, user.admin, user.active.label("user_active"))
        .join_from(table, USER, user.id == shown.user_id)
        .where(shown.digest == bindparam("hashed"))
    )


_STATE = ("scopes", "active", "expires_at", "replaced_by")
_SCOPES: dict[str, Prepared[Any]] = {
    kind: Prepared(
        select(*(table.c[name] for name in _STATE)).where(table.c.id == bindparam("row_id"))
    )
    for kind, table in (("webhook", WEBHOOK), ("token", TOKEN))
}
_ACTIVE_USER: Prepared[Any] = Prepared(
    select(USER.c.name, USER.c.admin).where(USER.c.id == bindparam("user_id"), USER.c.active)
)
# Stands for a row that was not found, so that the comparison costs the same work.
_NO_ROW = (0, 0, "0" * 64, "", False, None, "", False, False)
_FIND = {"webhook": _find(WEBHOOK), "token": _find(TOKEN)}
