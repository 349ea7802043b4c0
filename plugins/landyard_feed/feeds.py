"""The definition of a feed, and the storage of its events for listeners."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from landyard import Actor, Event, Host, Subscriber
from landyard_events import Delivery, after, event_types
from landyard_feed.settings import FeedSettings
from landyard_feed.tables import FEED_EVENT

_LOCK = 5_172_914_406  # an arbitrary number for an advisory lock


class Feed(Struct, frozen=True):
    """A feed of the events of a type and its subtypes, sent to listeners who may hear them.

    `may_hear(actor, event)` is called for each listener in a thread; it must be quick and use no
    database. The name, such as `poll.votes`, is unique in the service.
    """

    name: str
    event: type[Event]
    may_hear: Callable[[Actor, Any], bool]

    def subscriber(self) -> Subscriber:
        """Return the subscriber for `register_subscribers`."""
        return after(self.event, f"feed.{self.name}", self)

    def __call__(self, delivery: Delivery, event: Event) -> None:
        """Store an event for the listeners."""
        connection = delivery.connection
        if connection.dialect.name == "postgresql":
            # Ids must be committed in order, because a listener asks for ids after the last one.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        row = {"feed": self.name, "topic": event.topic, "at": delivery.at}
        row["body"] = msgspec.json.encode(event).decode()
        connection.execute(FEED_EVENT.insert().values(**row))

    def read(self, topic: str, body: str) -> Event | None:
        """Return a stored event; None if its type is gone or has changed."""
        kind = event_types(self.event).get(topic)
        try:
            return msgspec.json.decode(body, type=kind) if kind else None
        except msgspec.ValidationError:
            return None


def feeds_of(host: Host) -> dict[str, Feed]:
    """Return the feeds of the active plugins, by name."""
    subscribers = (each for hooks in host.plugins.subscribers.values() for each in hooks)
    handlers = (getattr(each.function, "handler", None) for each in subscribers)
    return {each.name: each for each in handlers if isinstance(each, Feed)}


def forget(host: Host) -> None:
    """Remove events older than the setting `kept_hours`."""
    before = host.now() - timedelta(hours=host.section(FeedSettings).kept_hours)
    host.store.run(
        lambda unit: unit.connection.execute(FEED_EVENT.delete().where(FEED_EVENT.c.at < before)),
        writes=True,
    )
