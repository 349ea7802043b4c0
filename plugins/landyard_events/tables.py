"""The outbox's tables: a queue for each subject of a subscriber, what waits in it, dead letters."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, UniqueConstraint
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class QueueRow(SQLModel, table=True):
    """What a subscriber, or one target of it, is still to hear of one subject.

    Who publishes locks the row before the event has its number, so the order of numbers is that of
    commits. `due_at` is when the first event is delivered next. While it is being delivered
    `holder` is who does that, and `due_at` when that right ends. `tries` are those of the first
    event that have begun.
    """

    __tablename__ = "events_queue"
    __table_args__ = (
        UniqueConstraint("subscriber", "target", "subject"),
        Index("ix_events_queue_due", "subscriber", "due_at"),
        {"info": {"undo": "never"}},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    subscriber: str
    target: str
    subject: str
    due_at: datetime = Field(sa_type=Moment)
    holder: str
    tries: int
    error: str


class DeliveryRow(SQLModel, table=True):
    """An event that a subscriber is to hear of; `id` orders those of a queue."""

    __tablename__ = "events_delivery"
    __table_args__ = (
        Index("ix_events_delivery_queue", "queue_id", "id"),
        {"sqlite_autoincrement": True, "info": {"undo": "never"}},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    queue_id: int = Field(sa_type=BigInteger)
    event_id: str
    topic: str
    body: str
    at: datetime = Field(sa_type=Moment)


class DeadRow(SQLModel, table=True):
    """A dead letter: an event that was given up. It has the `id` of its delivery."""

    __tablename__ = "events_dead"
    __table_args__ = ({"info": {"undo": "never"}},)

    id: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False})
    subscriber: str
    target: str
    subject: str
    event_id: str
    topic: str
    body: str
    at: datetime = Field(sa_type=Moment)
    dead_at: datetime = Field(sa_type=Moment)
    tries: int
    error: str


QUEUE = table_of(QueueRow).c
DELIVERY = table_of(DeliveryRow).c
DEAD = table_of(DeadRow).c
