"""Access tokens of apps: whose one is."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from landyard import Actor, Credential, Prepared, UserAccessError, credentials, table_of
from landyard_oauth.apps import credential_of
from landyard_oauth.grants import scopes_left
from landyard_oauth.tables import App, Grant, Secret

_APP, _GRANT, _SECRET = table_of(App), table_of(Grant), table_of(Secret)
_USER = credentials.USER
_FIND: Prepared[Any] = Prepared(
    select(
        *(_GRANT.c.user_id, _GRANT.c.app_id, _GRANT.c.credential, _GRANT.c.scopes),
        _SECRET.c.expires_at,
        *(_USER.c.name, _USER.c.admin, _USER.c.active),
    )
    .join_from(_SECRET, _GRANT, _GRANT.c.id == _SECRET.c.grant_id)
    .join(_APP, _APP.c.id == _GRANT.c.app_id)
    .join(_USER, _USER.c.id == _GRANT.c.user_id)
    .where(_SECRET.c.digest == bindparam("hashed"), _SECRET.c.kind == "access", _APP.c.active)
)


def actor_of(credential: Credential, connection: Connection, now: datetime) -> Actor | None:
    """Return for whom an app calls; None where it is no access token of an app.

    One that has expired is the kernel's to refuse, with `expired_token`: clients then refresh.
    Raises `UserAccessError` for a user who is not active.
    """
    if credential.kind != "token":
        return None
    hashed = credentials.digest(credential.secret)
    found = _FIND.first(connection, hashed=hashed)
    if found is None:
        return None
    user_id, app_id, let_in_by, scopes, expires_at, name, admin, active = found
    if not active and expires_at > now:
        raise UserAccessError
    left = scopes_left(connection, let_in_by, scopes, now)
    known = credential_of(app_id)
    return None if left is None else Actor(user_id, known, left, name, admin, expires_at)
