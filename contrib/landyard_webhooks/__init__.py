"""Outgoing webhooks: delivery of events to endpoints, signed by Standard Webhooks."""

from collections.abc import Iterable
from pathlib import Path

from landyard import Event, Subscriber, Tables, hookimpl
from landyard_events import after
from landyard_undo.rules import refused
from landyard_webhooks.delivery import deliver, targets
from landyard_webhooks.settings import LONGEST, WebhookSettings

requires = ("events", "outgoing")

THREADS = 8  # in each worker: a slow endpoint occupies one of them


@hookimpl
def register_settings() -> type[WebhookSettings]:
    return WebhookSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("webhooks", Path(__file__).parent / "migrations", refused("webhooks_endpoint"))


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    return [
        after(
            Event,
            "webhooks.deliver",
            deliver,
            transaction=False,
            seconds=LONGEST + 5,  # the request has its own limit
            threads=THREADS,
            targets=targets,
        )
    ]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_webhooks.commands import endpoint  # imported late: a server needs no commands

    return [endpoint]
