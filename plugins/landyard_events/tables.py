"""The outbox's tables: a queue for each subject of a subscriber, what waits in it, dead letters."""

from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, UniqueConstraint

from landyard import METADATA, Moment

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


QUEUE = Table(
    "events_queue",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("subscriber", String, nullable=False),
    Column("target", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("holder", String, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("error", String, nullable=False),
    UniqueConstraint("subscriber", "target", "subject"),
    Index("ix_events_queue_due", "subscriber", "due_at"),
).c
"""What a subscriber, or one target of it, is still to hear of one subject.

Who publishes locks the row before the event has its number, so the order of numbers is that of
commits. `due_at` is when the first event is delivered next. While it is being delivered
`holder` is who does that, and `due_at` when that right ends. `tries` are those of the first
event that have begun.
"""


DELIVERY = Table(
    "events_delivery",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("queue_id", BigInteger, nullable=False),
    Column("event_id", String, nullable=False),
    Column("topic", String, nullable=False),
    Column("body", String, nullable=False),
    Column("at", Moment, nullable=False),
    Index("ix_events_delivery_queue", "queue_id", "id"),
    sqlite_autoincrement=True,
).c
"""An event that a subscriber is to hear of; `id` orders those of a queue."""


DEAD = Table(
    "events_dead",
    METADATA,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("subscriber", String, nullable=False),
    Column("target", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("event_id", String, nullable=False),
    Column("topic", String, nullable=False),
    Column("body", String, nullable=False),
    Column("at", Moment, nullable=False),
    Column("dead_at", Moment, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("error", String, nullable=False),
).c
"""A dead letter: an event that was given up. It has the `id` of its delivery."""
