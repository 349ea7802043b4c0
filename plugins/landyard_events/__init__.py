"""An outbox: durable delivery of events after their commit, and one-off tasks.

`after` makes a durable subscriber, `later` schedules a task for it; see docs/events.md.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from landyard import Host, Job, MethodGroup, Tables, hookimpl
from landyard_events import methods
from landyard_events.clock_repair import mend
from landyard_events.outbox import Outbox, deliver_due
from landyard_events.settings import EventSettings
from landyard_events.subscriptions import Delivery, GiveUp, NotDelivered, after, later
from landyard_events.topics import event_types, find_event
from landyard_undo.rules import never

__all__ = [
    "Delivery",
    "GiveUp",
    "NotDelivered",
    "after",
    "deliver_due",
    "event_types",
    "find_event",
    "later",
    "methods",
]


@hookimpl
def register_methods() -> MethodGroup:
    return methods.tasks


@hookimpl
def register_settings() -> type[EventSettings]:
    return EventSettings


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "events",
        Path(__file__).parent / "migrations",
        never("events_queue", "events_delivery", "events_dead"),
    )


@hookimpl
def register_hooks(host: Host) -> Outbox:
    return Outbox(host)


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [Job("events.clocks", timedelta(minutes=10), mend)]


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_events.commands import tasks  # imported late: a server needs no commands

    return [tasks]
