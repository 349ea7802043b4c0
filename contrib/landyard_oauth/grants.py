"""Issues, checks and ends the codes and tokens of users' grants to apps.

A code or refresh token that is used twice was stolen, so its whole grant ends (RFC 6749, 4.1.2; RFC
9700, 4.14.2). A refresh token may be used again within `GRACE`: processes of one app may refresh at
once, or a connection may break.
"""

import secrets
from datetime import datetime, timedelta
from typing import Any, Literal

import structlog
from sqlalchemy import Connection, bindparam, delete, func
from sqlalchemy import select as columns_of
from sqlmodel import Session, col, select

from landyard import Host, Prepared, credentials, table_of
from landyard_oauth.tables import App, Grant, Secret

log = structlog.get_logger()

Kind = Literal["code", "access", "refresh"]
LASTING: dict[Kind, timedelta] = {
    "code": timedelta(seconds=60),
    "access": timedelta(hours=1),
    "refresh": timedelta(days=180),
}
GRACE = timedelta(seconds=10)
"""The time after its first use in which a refresh token still gets new tokens."""
_TOLD_EXPIRED = timedelta(days=1)  # an expired token is kept this long, to be refused as expired
_CREDENTIALS = ("webhook", "token")
_APP, _GRANT, _USER = table_of(App), table_of(Grant), credentials.USER
_PREFIX: dict[Kind, str] = {"code": "lyo_", "access": "lya_", "refresh": "lyr_"}


_GRANTS: Prepared[Any] = Prepared(
    columns_of(_GRANT.c.credential, _GRANT.c.scopes)
    .join_from(_GRANT, _APP, _APP.c.id == _GRANT.c.app_id)
    .join(_USER, _USER.c.id == _GRANT.c.user_id)
    .where(
        _GRANT.c.app_id == bindparam("app_id"),
        _GRANT.c.user_id == bindparam("user_id"),
        _GRANT.c.ends_at >= bindparam("now"),
        *(_APP.c.active, _USER.c.active),
    )
)


def scopes_granted(
    connection: Connection, app_id: int, user_id: int, now: datetime
) -> frozenset[str] | None:
    """Return the scopes of all grants in force that a user gave an app; None if there are none."""
    rows = _GRANTS.all(connection, app_id=app_id, user_id=user_id, now=now)
    grants = [scopes_left(connection, credential, scopes, now) for credential, scopes in rows]
    granted = [scopes for scopes in grants if scopes is not None]
    return frozenset().union(*granted) if granted else None


def scopes_left(
    connection: Connection, credential: str, scopes: str, now: datetime
) -> frozenset[str] | None:
    """Return the scopes that one grant, given for `scopes`, has now; None if the grant is over.

    `credential` is the one with which the user was signed in at the consent. The grant ends with
    this webhook or token, and never exceeds its scopes; a session may end before the grant.
    """
    let = frozenset(scopes.split())
    if credential.partition(":")[0] not in _CREDENTIALS:
        return let
    current = credentials.scopes_now(connection, credential, now)
    return None if current is None else let & current


def issue(session: Session, grant: Grant, kind: Kind, now: datetime) -> str:
    """Create a code or token of a `kind` for a grant, and return it; only a digest is stored.

    The grant is prolonged if the code or token would outlive it.
    """
    secret = f"{_PREFIX[kind]}{secrets.token_urlsafe(32)}"
    expires_at = now + LASTING[kind]
    session.add(grant)
    session.flush()
    assert grant.id is not None
    hashed = credentials.digest(secret)
    session.add(Secret(grant_id=grant.id, kind=kind, digest=hashed, expires_at=expires_at))
    grant.ends_at = max(grant.ends_at, expires_at)
    session.flush()
    return secret


def find(session: Session, secret: str, kinds: tuple[Kind, ...]) -> tuple[Secret, Grant] | None:
    """Find a secret of an active user's grant, and lock both until the transaction ends."""
    user = credentials.USER.c
    query = (
        select(Secret, Grant)
        .join(Grant, col(Grant.id) == col(Secret.grant_id))
        .join(credentials.USER, user.id == col(Grant.user_id))
        .where(Secret.digest == credentials.digest(secret), col(Secret.kind).in_(kinds))
        .where(user.active)
        .with_for_update(of=[table_of(Secret), table_of(Grant)])
    )
    return session.exec(query).first()


def take(session: Session, secret: str, kind: Kind, app_id: int, now: datetime) -> Grant | None:
    """Return the grant of an app's code or refresh token; None if it is invalid.

    A secret used before ends its grant, except a refresh token within `GRACE`. The secret is not
    marked as used here; `use` does so.
    """
    found = find(session, secret, (kind,))
    if found is None or found[1].app_id != app_id:
        return None
    row, grant = found
    repeated = kind == "refresh" and row.used_at is not None and now - row.used_at <= GRACE
    if row.used_at is not None and not repeated:
        log.warning("oauth_secret_reused", kind=kind, app=app_id, user=grant.user_id)
        session.delete(grant)
        session.flush()
        return None
    connection = session.connection()
    over = scopes_left(connection, grant.credential, grant.scopes, now) is None
    return grant if row.expires_at > now and not over else None


def use(session: Session, secret: str, now: datetime) -> None:
    """Mark a secret as used, and remove secrets of its grant that expired over a day ago."""
    table, digest = table_of(Secret), credentials.digest(secret)
    connection = session.connection()
    first = func.coalesce(table.c.used_at, bindparam("now", now, type_=table.c.used_at.type))
    used = table.update().where(table.c.digest == digest).values(used_at=first)
    grant_id = connection.execute(used.returning(table.c.grant_id)).scalar_one()
    old = table.c.expires_at < now - _TOLD_EXPIRED
    connection.execute(delete(table).where(table.c.grant_id == grant_id, old))


def end(session: Session, secret: str, app_id: int) -> None:
    """Delete an app's access token; a refresh token deletes its whole grant (RFC 7009)."""
    found = find(session, secret, ("access", "refresh"))
    if found is not None and found[1].app_id == app_id:
        row, grant = found
        session.delete(row if row.kind == "access" else grant)


def forget(host: Host) -> None:
    """Remove the grants that ended over a day ago."""
    table = table_of(Grant)
    over = delete(table).where(table.c.ends_at < host.now() - _TOLD_EXPIRED)
    host.store.run(lambda unit: unit.connection.execute(over), writes=True)
