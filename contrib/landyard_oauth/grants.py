"""Grants: the codes and tokens of one consent, how they are issued, used once, and ended.

A code or refresh token that comes a second time was stolen, then or now, so its whole grant ends
(RFC 6749, 4.1.2; RFC 9700, 4.14.2). A refresh token may come again within `GRACE`: an app whose
processes refresh at once, or whose connection broke, has done nothing wrong.
"""

import secrets
from datetime import datetime, timedelta
from typing import Literal

import structlog
from sqlalchemy import bindparam, delete, func
from sqlmodel import Session, col, select

from landyard import Kernel, credentials, table_of
from landyard_oauth.tables import Grant, Secret

log = structlog.get_logger()

Kind = Literal["code", "access", "refresh"]
LASTING: dict[Kind, timedelta] = {
    "code": timedelta(seconds=60),
    "access": timedelta(hours=1),
    "refresh": timedelta(days=180),
}
GRACE = timedelta(seconds=10)
"""For so long a refresh token that was used is answered with new tokens once more."""
_TOLD_EXPIRED = timedelta(days=1)  # for so long an access token is expired, and not unknown
_PREFIX: dict[Kind, str] = {"code": "lyo_", "access": "lya_", "refresh": "lyr_"}


def issue(session: Session, grant: Grant, kind: Kind, now: datetime) -> str:
    """Make a secret of a grant and return it; the grant lasts as long as that."""
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
    """Return the grant of an app's code or refresh token; None where it is not good.

    One that was used before ends its grant, but for a refresh token within `GRACE`. It is `use`
    that marks it used.
    """
    found = find(session, secret, (kind,))
    if found is None or found[1].app_id != app_id:
        return None
    row, grant = found
    again = kind == "refresh" and row.used_at is not None and now - row.used_at <= GRACE
    if row.used_at is not None and not again:
        log.warning("oauth_secret_reused", kind=kind, app=app_id, user=grant.user_id)
        session.delete(grant)
        session.flush()
        return None
    return grant if row.expires_at > now else None


def use(session: Session, secret: str, now: datetime) -> None:
    """Mark a secret as used, and remove those of its grant that were of no use for long."""
    table, digest = table_of(Secret), credentials.digest(secret)
    connection = session.connection()
    first = func.coalesce(table.c.used_at, bindparam("now", now, type_=table.c.used_at.type))
    used = table.update().where(table.c.digest == digest).values(used_at=first)
    grant_id = connection.execute(used.returning(table.c.grant_id)).scalar_one()
    old = table.c.expires_at < now - _TOLD_EXPIRED
    connection.execute(delete(table).where(table.c.grant_id == grant_id, old))


def end(session: Session, secret: str, app_id: int) -> None:
    """End an app's access token, or with its refresh token the whole grant (RFC 7009)."""
    found = find(session, secret, ("access", "refresh"))
    if found is not None and found[1].app_id == app_id:
        row, grant = found
        session.delete(row if row.kind == "access" else grant)


def forget(kernel: Kernel) -> None:
    """Remove the grants that are over."""
    table = table_of(Grant)
    over = delete(table).where(table.c.ends_at < kernel.now() - _TOLD_EXPIRED)
    kernel.store.run(lambda unit: unit.connection.execute(over), writes=True)
