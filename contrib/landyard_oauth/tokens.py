"""Authentication of calls by apps' access tokens."""

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
    """Return the actor of an app's access token; None for any other credential.

    The kernel refuses an expired token with `expired_token`, so that clients refresh it. Raises
    `UserAccessError` if the user is not active.
    """
    if credential.kind != "token":
        return None
    hashed = credentials.digest(credential.secret)
    row = _FIND.first(connection, hashed=hashed)
    if row is None:
        return None
    user_id, app_id, let_in_by, scopes, expires_at, name, admin, active = row
    if not active and expires_at > now:
        raise UserAccessError
    scopes_now = scopes_left(connection, let_in_by, scopes, now)
    caller = credential_of(app_id)
    return (
        None if scopes_now is None else Actor(user_id, caller, scopes_now, name, admin, expires_at)
    )
