"""The tables of the outbox: queues, waiting deliveries, and dead letters."""

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
"""A queue: the undelivered events of one subject, for a subscriber or one of its targets.

Publishing locks the row before the event gets its number, so numbers are in the order of commits.
`due_at` is the time of the next delivery. During a delivery `holder` has claimed the queue until
`due_at`. `tries` counts the begun tries of the first event.
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
"""A waiting event in a queue; `id` gives the order within the queue."""


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
"""A dead letter: an event that was given up, with the `id` of its delivery."""
