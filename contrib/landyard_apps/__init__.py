"""Methods for OAuth apps: the calling app's description, and subscriptions to events."""

from collections.abc import Iterable
from pathlib import Path

from landyard import Event, MethodGroup, Subscriber, Tables, hookimpl
from landyard_apps import binding, events, info
from landyard_apps.delivery import deliver, targets
from landyard_apps.group import group
from landyard_apps.settings import LONGEST, AppSettings
from landyard_events import after

__all__ = ["binding", "events", "info"]

requires = ("events", "landing", "oauth", "outgoing")

THREADS = 8  # in each worker: a slow handler occupies one of them


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_settings() -> type[AppSettings]:
    return AppSettings


@hookimpl
def register_tables() -> Tables:
    return Tables("apps", Path(__file__).parent / "migrations")


@hookimpl
def register_subscribers() -> Iterable[Subscriber]:
    return [
        after(
            Event,
            "apps.deliver",
            deliver,
            transaction=False,
            seconds=LONGEST + 5,  # the request has its own limit
            threads=THREADS,
            targets=targets,
        )
    ]
