"""Feeds: which events are told, and who may hear them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from landyard import Actor, Event, Host, Subscriber
from landyard_events import Delivery, after, event_types
from landyard_feed.settings import FeedSettings
from landyard_feed.tables import TOLD

_LOCK = 5_172_914_406  # any number that nobody else locks


class Feed(Struct, frozen=True):
    """The events of a type, and of those derived from it, told to those who may hear each.

    `may_hear(actor, event)` is asked for each listener, in a thread; it is quick, and asks no
    database. The name, such as `poll.votes`, is unique in the service.
    """

    name: str
    event: type[Event]
    may_hear: Callable[[Actor, Any], bool]

    def subscriber(self) -> Subscriber:
        """Make the subscriber that `register_subscribers` answers."""
        return after(self.event, f"feed.{self.name}", self)

    def __call__(self, delivery: Delivery, event: Event) -> None:
        """Keep an event for the listeners."""
        connection = delivery.connection
        if connection.dialect.name == "postgresql":
            # One after the other: a listener asks for what is behind the last id that it has seen.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        row = {"feed": self.name, "topic": event.topic, "at": delivery.at}
        row["body"] = msgspec.json.encode(event).decode()
        connection.execute(TOLD.insert().values(**row))

    def read(self, topic: str, body: str) -> Event | None:
        """Return an event that was kept; None where its type is gone, or is another by now."""
        kind = event_types(self.event).get(topic)
        try:
            return msgspec.json.decode(body, type=kind) if kind else None
        except msgspec.ValidationError:
            return None


def feeds_of(host: Host) -> dict[str, Feed]:
    """Find the feeds of the plugins that are on, by name."""
    subscribers = (each for hooks in host.plugins.subscribers.values() for each in hooks)
    found = (getattr(each.function, "handler", None) for each in subscribers)
    return {each.name: each for each in found if isinstance(each, Feed)}


def forget(host: Host) -> None:
    """Remove what was kept for longer than operators want."""
    before = host.now() - timedelta(hours=host.section(FeedSettings).kept_hours)
    host.store.run(
        lambda unit: unit.connection.execute(TOLD.delete().where(TOLD.c.at < before)), writes=True
    )
