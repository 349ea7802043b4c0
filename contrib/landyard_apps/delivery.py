"""Delivery: an event is sent to a handler of an app, in the form of the platform."""

from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from sqlalchemy import bindparam, select

from landyard import Event, Kernel, Prepared, UnitOfWork, table_of
from landyard_apps.names import name_of
from landyard_apps.settings import AppSettings
from landyard_apps.tables import BINDING
from landyard_events import Delivery, GiveUp, NotDelivered
from landyard_oauth import App, endpoints_of
from landyard_outgoing import Refused, post

_GONE = 410
_APP = table_of(App)
_ON = BINDING.join(_APP, _APP.c.id == BINDING.c.app_id)

_TO: Prepared[str] = Prepared(
    select(BINDING.c.id)
    .select_from(_ON)
    .where(BINDING.c.event == bindparam("event"), _APP.c.active),
    str,
)


class _Bound(Struct, frozen=True):
    """A handler, and what its app knows the service by."""

    id: int
    handler: str
    auth_type: int
    scopes: str
    application_token: str


def targets(unit: Any, event: Event) -> list[str]:
    """Name the handlers that an event goes to, in its transaction."""
    return _TO.all(unit.connection, event=name_of(event.topic))


def deliver(delivery: Delivery, event: Event) -> None:
    """Send an event to the handler that is the delivery's target.

    One that was removed, or whose app is revoked, is done with.
    """
    kernel = delivery.kernel
    bound = kernel.store.run(lambda unit: _find(unit, int(delivery.target)), writes=False)
    if bound is None:
        return
    body = urlencode(_form(kernel, delivery, bound, event)).encode()
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "landyard-event-id": delivery.id,
    }
    try:
        status = post(bound.handler, body, headers, kernel.section(AppSettings).limits).status
    except Refused as refused:
        raise NotDelivered(f"handler {bound.id}: {refused.reason}") from refused
    if status == _GONE:
        raise GiveUp(f"handler {bound.id} answered 410 (gone)")
    if not 200 <= status < 300:
        raise NotDelivered(f"handler {bound.id} answered {status}")


def _find(unit: UnitOfWork, binding_id: int) -> _Bound | None:
    columns = (BINDING.c.id, BINDING.c.handler, BINDING.c.auth_type)
    query = select(*columns, _APP.c.scopes, _APP.c.application_token).select_from(_ON)
    found = unit.connection.execute(query.where(BINDING.c.id == binding_id, _APP.c.active)).first()
    return None if found is None else _Bound(*found)


def _form(kernel: Kernel, delivery: Delivery, bound: _Bound, event: Event) -> dict[str, Any]:
    """Write an event as PHP reads it. No tokens are sent: an app has those of who let it in."""
    data = msgspec.to_builtins(event)
    by = bound.auth_type or data.get("user_id", 0)
    auth = {
        **msgspec.structs.asdict(endpoints_of(kernel)),
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
