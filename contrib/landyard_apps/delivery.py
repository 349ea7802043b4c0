"""Delivery of events to the handlers of apps, in the platform's form encoding."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select

from landyard import Event, Host, Prepared, UnitOfWork, credentials, table_of
from landyard_apps.names import name_of, scope_of
from landyard_apps.settings import AppSettings
from landyard_apps.tables import BINDING
from landyard_events import Delivery, GiveUp, NotDelivered
from landyard_landing import rights, tables
from landyard_oauth import App, endpoints_of, scopes_granted
from landyard_outgoing import Refused, post

_GONE = 410
_APP = table_of(App)
_ON = BINDING.join(_APP, _APP.c.id == BINDING.c.app_id)

_SITE = tables.SITE
_IS_SITE = Prepared(select(_SITE.id).where(_SITE.id == bindparam("site_id")), int)
_BOUND = select(
    *(BINDING.c.id, BINDING.c.handler, BINDING.c.auth_type, BINDING.c.user_id, BINDING.c.app_id),
    *(_APP.c.scopes, _APP.c.application_token),
).select_from(_ON)


class _Bound(Struct, frozen=True):
    """A handler, with its app's scopes and the token by which the app recognises the service."""

    id: int
    handler: str
    auth_type: int
    user_id: int
    app_id: int
    scopes: str
    application_token: str


_TO = Prepared(_BOUND.where(BINDING.c.event == bindparam("event"), _APP.c.active), _Bound)
_FIND = Prepared(_BOUND.where(BINDING.c.id == bindparam("binding_id"), _APP.c.active), _Bound)


def targets(unit: Any, event: Event) -> list[str]:
    """Return the ids of the handlers that an event goes to; runs in the event's transaction.

    The row of a site being deleted still exists then, so users' rights on it can be checked.
    """
    bindings = _TO.all(unit.connection, event=name_of(event.topic))
    return [str(bound.id) for bound in bindings if _may_view(unit.connection, bound, event)]


def deliver(delivery: Delivery, event: Event) -> None:
    """Send an event to the handler that is the delivery's target.

    Nothing is sent if the handler was removed, the app was revoked, or the user no longer grants it
    access or may not view the site. This is checked at delivery, however long the event has waited.
    """
    host = delivery.host
    bound = host.store.run(
        lambda unit: _find(unit, host.now(), int(delivery.target), event), writes=False
    )
    if bound is None:
        return
    body = urlencode(_form(host, delivery, bound, event)).encode()
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "landyard-event-id": delivery.id,
    }
    try:
        status = post(bound.handler, body, headers, host.section(AppSettings).limits).status
    except Refused as refused:
        raise NotDelivered(f"handler {bound.id}: {refused.reason}") from refused
    if status == _GONE:
        raise GiveUp(f"handler {bound.id} answered 410 (gone)")
    if not 200 <= status < 300:
        raise NotDelivered(f"handler {bound.id} answered {status}")


def _find(unit: UnitOfWork, now: datetime, binding_id: int, event: Event) -> _Bound | None:
    """Return a binding whose app may receive the event now; else None."""
    connection = unit.connection
    bound: _Bound | None = _FIND.first(connection, binding_id=binding_id)
    if bound is None:
        return None
    let = scopes_granted(connection, bound.app_id, bound.user_id, now)
    if let is None or scope_of(event.topic) not in let:
        return None
    return bound if _may_view(connection, bound, event) else None


def _may_view(connection: Connection, bound: _Bound, event: Event) -> bool:
    """Tell whether the users of a binding are active and may view the event's site.

    For a site that is gone, the right to view was checked when the event was published.
    """
    users = {bound.user_id, bound.auth_type or bound.user_id}
    site_id = getattr(event, "site_id", 0)
    actors = [credentials.actor_of_user(connection, user_id) for user_id in users]
    if not all(actors):
        return False
    if not site_id or _IS_SITE.first(connection, site_id=site_id) is None:
        return True
    return all(rights.rights_of_user(connection, user_id, site_id) for user_id in users)


def _form(host: Host, delivery: Delivery, bound: _Bound, event: Event) -> dict[str, Any]:
    """Encode an event as PHP reads forms. No tokens are sent: the app holds its users' tokens."""
    data = msgspec.to_builtins(event)
    by = bound.auth_type or data.get("user_id", 0)
    auth = {
        **msgspec.structs.asdict(endpoints_of(host)),
        "application_token": bound.application_token,
        "scope": ",".join(bound.scopes.split()),
        "status": "L",
        **({"user_id": by} if by else {}),
    }
    return {
        "event": name_of(delivery.topic),
        "event_handler_id": bound.id,
        **{f"data[{name.upper()}]": _text(value) for name, value in data.items()},
        "ts": int(delivery.at.timestamp()),
        **{f"auth[{name}]": value for name, value in auth.items()},
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
