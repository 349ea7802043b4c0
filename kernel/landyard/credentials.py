"""Users and what they call with: inbound webhooks and access tokens.

Secrets are kept as SHA-256 digests only. That is enough for 256 random bits; those an operator
chooses are refused below 16 characters.
"""

import hashlib
import hmac
import re
import secrets
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row, Select, select, update
from sqlmodel import Field, Session, SQLModel

from landyard.calls import Actor, Credential
from landyard.errors import ExpiredToken, InvalidCredentials, InvalidToken, UserAccessError
from landyard.store import Moment

_SCOPE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_SECRET = re.compile(r"[A-Za-z0-9._~-]{16,256}")


class User(SQLModel, table=True):
    """Somebody on whose behalf calls are made; `admin` has every right everywhere."""

    __tablename__ = "landyard_user"

    id: int | None = Field(default=None, primary_key=True)
    name: str = ""
    admin: bool = False
    active: bool = True


class Webhook(SQLModel, table=True):
    """A secret in a path; scopes are separated by spaces."""

    __tablename__ = "landyard_webhook"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True


class Token(SQLModel, table=True):
    """An access token; without `expires_at` it is good until it is revoked."""

    __tablename__ = "landyard_token"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True
    expires_at: datetime | None = Field(default=None, sa_type=Moment)


def new_secret(kind: Literal["webhook", "token"]) -> str:
    """Make 256 random bits, with a prefix that secret scanners can look for."""
    return f"ly{kind[0]}_{secrets.token_urlsafe(32)}"


def digest(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256, in hex."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def usable_secret(secret: str) -> bool:
    """Tell whether a secret that an operator chose is long enough and fits into a path."""
    return _SECRET.fullmatch(secret) is not None


def usable_scope(scope: str) -> bool:
    """Tell whether a permission scope is one word, as they are stored separated by spaces."""
    return _SCOPE.fullmatch(scope) is not None


def scope_set(scopes: str) -> frozenset[str]:
    """Split the stored form of scopes."""
    return frozenset(scopes.split())


def who_shows(credential: Credential, session: Session, now: datetime) -> Actor | None:
    """Say whose webhook or token `credential` is; None where it is not known here.

    Raises `InvalidCredentials`, `InvalidToken`, `ExpiredToken` or `UserAccessError` (C13, C15).
    """
    hashed = digest(credential.secret)
    if credential.kind == "webhook":
        found = _found(session, _webhook_of(hashed), hashed)
        if found is None:
            return None
        if not found.active or str(found.user_id) != credential.user:
            raise InvalidCredentials
    else:
        found = _found(session, _token_of(hashed), hashed)
        if found is None:
            return None
        if not found.active:
            raise InvalidToken
        if found.expires_at is not None and found.expires_at <= now:
            raise ExpiredToken
    if not found.user_active:
        raise UserAccessError
    return Actor(
        user_id=found.user_id,
        credential=f"{credential.kind}:{found.id}",
        scopes=scope_set(found.scopes),
        name=found.name,
        admin=found.admin,
    )


def revoke(session: Session, table: type[Webhook] | type[Token], row_id: int) -> bool:
    """Switch a webhook or token off for good; False when there is none with this id."""
    done = session.execute(
        update(table).where(table.id == row_id).values(active=False).returning(table.id)  # type: ignore[arg-type, call-overload]
    )
    return done.first() is not None


_USER = User.__table__.c  # type: ignore[attr-defined]


def _webhook_of(hashed: str) -> Select[Any]:
    hook = Webhook.__table__.c  # type: ignore[attr-defined]
    columns = (hook.id, hook.user_id, hook.digest, hook.scopes, hook.active)
    return _with_user(columns, hook.user_id).where(hook.digest == hashed)


def _token_of(hashed: str) -> Select[Any]:
    token = Token.__table__.c  # type: ignore[attr-defined]
    columns = (token.id, token.user_id, token.digest, token.scopes, token.active, token.expires_at)
    return _with_user(columns, token.user_id).where(token.digest == hashed)


def _with_user(columns: tuple[Any, ...], user_id: Any) -> Select[Any]:
    return select(*columns, _USER.name, _USER.admin, _USER.active.label("user_active")).join_from(
        user_id.table, _USER.id.table, _USER.id == user_id
    )


def _found(session: Session, query: Select[Any], hashed: str) -> Row[Any] | None:
    row = session.execute(query).first()
    return row if row is not None and hmac.compare_digest(row.digest, hashed) else None
