"""Users, webhooks and tokens: their tables, and how one is looked up.

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

from sqlalchemy import Connection, Table, bindparam, select, update
from sqlmodel import Field, SQLModel

from landyard.core.calls import Actor, Credential
from landyard.core.errors import CallError, ExpiredToken, UserAccessError
from landyard.storage.prepared import Moment, Prepared
from landyard.storage.schema import table_of
from landyard.storage.store import Store

_SCOPE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_OURS = re.compile(r"(ly[wt]_[A-Za-z0-9_-]{43})([0-9a-f]{8})")
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
