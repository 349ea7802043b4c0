"""Users and what they call with: inbound webhooks and access tokens.

Secrets are kept as SHA-256 digests only. That is enough for 256 random bits; those an operator
chooses are refused below 16 characters.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Select, Table, bindparam, or_, select, update
from sqlmodel import Field, Session, SQLModel

from landyard.calls import Actor, Credential
from landyard.errors import ExpiredToken, UserAccessError
from landyard.secret import new_secret
from landyard.store import Moment, Store

_SCOPE = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_SECRET = re.compile(r"[A-Za-z0-9._~-]{16,256}")
NOTED_EVERY = timedelta(minutes=1)  # a last use is known to the minute, and seldom written


class User(SQLModel, table=True):
    """Somebody on whose behalf calls are made; `admin` has every right everywhere."""

    __tablename__ = "landyard_user"

    id: int | None = Field(default=None, primary_key=True)
    name: str = ""
    admin: bool = False
    active: bool = True


class Webhook(SQLModel, table=True):
    """A secret in a path; scopes are separated by spaces.

    Without `expires_at` it is good until it is revoked. `last_used_at` is written behind the calls,
    to the minute. `replaced_by` is the webhook that it was rotated to.
    """

    __tablename__ = "landyard_webhook"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    last_used_at: datetime | None = Field(default=None, sa_type=Moment)
    replaced_by: int | None = None


class Token(SQLModel, table=True):
    """An access token; its columns are those of a webhook."""

    __tablename__ = "landyard_token"

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(foreign_key="landyard_user.id", index=True, ondelete="CASCADE")
    digest: str = Field(unique=True, max_length=64)
    scopes: str = ""
    title: str = ""
    active: bool = True
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    last_used_at: datetime | None = Field(default=None, sa_type=Moment)
    replaced_by: int | None = None


class Replaced(Exception):
    """A credential was rotated before; the text says to which one."""


class Issued(Struct, frozen=True):
    """A credential just made. `secret` is not kept: this is the one time to show it.

    One that replaces another says which, and until when that is still good.
    """

    row_id: int
    user_id: int
    secret: str
    expires_at: datetime | None = None
    replaces: int | None = None
    replaced_until: datetime | None = None


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
    """Say whose webhook or token `credential` is; None where it is no good one of ours.

    A webhook that is unknown, switched off, expired or another user's costs the same work and
    gets the same answer. Raises `ExpiredToken`, or `UserAccessError` behind a credential that is
    right (C13, C15).
    """
    hashed = digest(credential.secret)
    webhook = credential.kind == "webhook"
    row = session.execute(_WEBHOOK if webhook else _TOKEN, {"hashed": hashed}).first()
    found: Any = _NOBODY if row is None else row
    right = hmac.compare_digest(found.digest, hashed) & found.active
    in_time = found.expires_at is None or found.expires_at > now
    if webhook:
        right &= (str(found.user_id) == credential.user) & in_time
    if not right:
        return None
    if not in_time:
        raise ExpiredToken
    if not found.user_active:
        raise UserAccessError
    return Actor(
        user_id=found.user_id,
        credential=f"{credential.kind}:{found.id}",
        scopes=scope_set(found.scopes),
        name=found.name,
        admin=found.admin,
        expires_at=found.expires_at,
    )


def issue(
    session: Session,
    table: type[Webhook] | type[Token],
    user_id: int,
    *,
    scopes: str = "",
    title: str = "",
    expires_at: datetime | None = None,
) -> Issued:
    """Make a webhook or token with a new secret for a user that exists."""
    secret = new_secret("webhook" if table is Webhook else "token")
    made = table(
        user_id=user_id, digest=digest(secret), scopes=scopes, title=title, expires_at=expires_at
    )
    session.add(made)
    session.flush()
    assert made.id is not None
    return Issued(made.id, user_id, secret, expires_at)


def rotate(
    session: Session,
    table: type[Webhook] | type[Token],
    row_id: int,
    *,
    now: datetime,
    overlap: timedelta,
) -> Issued | None:
    """Issue a credential anew: another row and id, with the same user, scopes, title and end.

    The old one is good for `overlap` more, never beyond its own end; without an overlap it is
    switched off. None where no credential that is still good has this id. Raises `Replaced` for
    one that was rotated before: its end is agreed, and nobody would know which one follows it.
    """
    old: Any = session.get(table, row_id, with_for_update=True)
    if old is not None and old.replaced_by is not None:
        noun = table.__name__.lower()
        raise Replaced(
            f"{noun} {row_id} is replaced by {noun} {old.replaced_by}:"
            " rotate that one, or revoke this one"
        )
    if old is None or not old.active or (old.expires_at is not None and old.expires_at <= now):
        return None
    made = issue(
        session,
        table,
        old.user_id,
        scopes=old.scopes,
        title=old.title,
        expires_at=old.expires_at,
    )
    ends = now + overlap
    old.expires_at = ends if old.expires_at is None else min(ends, old.expires_at)
    # The clocks of several hosts never quite agree; a switch needs none.
    old.active = overlap > timedelta()
    old.replaced_by = made.row_id
    session.add(old)
    return structs.replace(made, replaces=row_id, replaced_until=old.expires_at)


def revoke(session: Session, table: type[Webhook] | type[Token], row_id: int) -> bool:
    """Switch a webhook or token off for good; False when there is none with this id."""
    done = session.execute(
        update(table).where(table.id == row_id).values(active=False).returning(table.id)  # type: ignore[arg-type, call-overload]
    )
    return done.first() is not None


def note_used(store: Store, used: Mapping[str, datetime]) -> None:
    """Write when credentials were last used: `used` is what `Gate.take_used` handed over.

    Only forward in time, and only what is a minute newer than what is written: most of the time
    this costs a read. Credentials that plugins know are passed over.
    """
    with store.session() as session:
        due = [(table, rows) for table in _TABLES if (rows := _due(session, table, used))]
    if due:
        store.run(
            lambda unit: [unit.connection.execute(_noting(table), rows) for table, rows in due],
            writes=True,
        )


def _due(session: Session, table: Table, used: Mapping[str, datetime]) -> list[dict[str, Any]]:
    ids = {}
    for name, moment in used.items():
        kind, _, number = name.partition(":")
        if table.name == f"landyard_{kind}" and number.isdecimal():
            ids[int(number)] = moment.replace(microsecond=0)
    if not ids:
        return []
    query = select(table.c.id, table.c.last_used_at).where(table.c.id.in_(ids))
    # In one order, so that two processes never wait for each other.
    return [
        {"row": row.id, "moment": ids[row.id], "before": ids[row.id] - NOTED_EVERY}
        for row in session.execute(query.order_by(table.c.id))
        if row.last_used_at is None or row.last_used_at < ids[row.id] - NOTED_EVERY
    ]


def _noting(table: Table) -> Any:
    # Another worker may have written since this one looked.
    older = table.c.last_used_at < bindparam("before", type_=Moment)
    unwritten = or_(table.c.last_used_at.is_(None), older)
    noted = update(table).where(table.c.id == bindparam("row"), unwritten)
    return noted.values(last_used_at=bindparam("moment", type_=Moment))


def _with_user(table: Table) -> Select[Any]:
    """Find a credential by its digest, and its user."""
    shown = table.c
    user = User.__table__.c  # type: ignore[attr-defined]
    columns = (shown.id, shown.user_id, shown.digest, shown.scopes, shown.active, shown.expires_at)
    whose = (user.name, user.admin, user.active.label("user_active"))
    return (
        select(*columns, *whose)
        .join_from(table, user.id.table, user.id == shown.user_id)
        .where(shown.digest == bindparam("hashed"))
    )


class _Nobody(Struct, frozen=True):
    """Stands for the row that was not found, so that it costs the same work."""

    user_id: int = 0
    digest: str = "0" * 64
    active: bool = False
    expires_at: datetime | None = None


_NOBODY = _Nobody()
_TABLES: tuple[Table, ...] = (Webhook.__table__, Token.__table__)  # type: ignore[attr-defined]
_WEBHOOK, _TOKEN = (_with_user(table) for table in _TABLES)
