"""Delivers events to endpoints by signed requests, and handles their answers."""

from datetime import datetime
from typing import Any

import msgspec
import structlog

from landyard import Event, Host, UnitOfWork
from landyard_events import Delivery, GiveUp, NotDelivered
from landyard_outgoing import Limits, Refused, post
from landyard_webhooks.endpoints import Endpoint, interested
from landyard_webhooks.settings import WebhookSettings
from landyard_webhooks.signing import signed

log = structlog.get_logger()

GONE = 410


class Message(msgspec.Struct, frozen=True):
    """The body of a delivery: the event's topic, time of publication, and fields."""

    type: str
    timestamp: datetime
    data: Any


def targets(unit: UnitOfWork, event: Event) -> list[str]:
    """Return the ids of the endpoints for an event; runs in the event's transaction."""
    return [str(each) for each in interested(unit.connection, event.topic)]


def deliver(delivery: Delivery, event: Event) -> None:
    """Send an event to the endpoint that is the delivery's target.

    Nothing is sent to a removed endpoint; for one switched off the event is a dead letter.
    """
    host, endpoint_id = delivery.host, int(delivery.target)
    with host.store.unit(writes=False) as unit:
        endpoint = unit.session.get(Endpoint, endpoint_id)
    if endpoint is None:
        return
    if not endpoint.active:
        raise GiveUp(f"endpoint {endpoint_id} is switched off")
    try:
        status = send(host, endpoint, delivery.id, Message(delivery.topic, delivery.at, event))
    except Refused as refused:
        raise NotDelivered(f"endpoint {endpoint_id}: {refused.reason}") from refused
    if status == GONE:
        host.store.run(lambda unit: _switch_off(unit, endpoint_id), writes=True)
        log.warning("endpoint_gone", endpoint=endpoint_id)
        raise GiveUp(f"endpoint {endpoint_id} answered 410 (gone), and is switched off now")
    if not 200 <= status < 300:
        raise NotDelivered(f"endpoint {endpoint_id} answered {status}")


def _switch_off(unit: UnitOfWork, endpoint_id: int) -> None:
    endpoint = unit.session.get(Endpoint, endpoint_id)
    if endpoint is not None:
        endpoint.active = False


def send(host: Host, endpoint: Endpoint, event_id: str, message: Message) -> int:
    """Send a message, and return the status of the answer; raises `Refused`."""
    now = host.now()
    body = msgspec.json.encode(message)
    headers = signed(event_id, int(now.timestamp()), body, endpoint.secrets(now))
    headers["content-type"] = "application/json"
    return post(endpoint.url, body, headers, limits(host)).status


def limits(host: Host) -> Limits:
    """Return the limits of a delivery's request; only the status of the answer is read."""
    settings = host.section(WebhookSettings)
    return Limits(seconds=settings.seconds, max_bytes=0, allow_hosts=settings.allow_hosts)
