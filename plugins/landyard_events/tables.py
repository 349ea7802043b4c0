"""The tables of the outbox: queues, waiting deliveries, and dead letters."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Queue(Base, table=True):
    """A queue: the undelivered events of one subject, for a subscriber or one of its targets.

    Publishing locks the row before the event gets its number, so numbers are in the order of
    commits. `due_at` is the time of the next delivery. During a delivery `holder` has claimed the
    queue until `due_at`. `tries` counts the begun tries of the first event.
    """

    __tablename__ = "events_queue"
    __table_args__ = (
        UniqueConstraint("subscriber", "target", "subject"),
        Index("ix_events_queue_due", "subscriber", "due_at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    subscriber: str
    target: str
    subject: str
    due_at: datetime = Field(sa_type=Moment)
    holder: str
    tries: int
    error: str


QUEUE = table_of(Queue).c


class WaitingDelivery(Base, table=True):
    """A waiting event in a queue; `id` gives the order within the queue."""

    __tablename__ = "events_delivery"
    __table_args__ = (
        Index("ix_events_delivery_queue", "queue_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    queue_id: int = Field(sa_type=BigInteger)
    event_id: str
    topic: str
    body: str
    at: datetime = Field(sa_type=Moment)


DELIVERY = table_of(WaitingDelivery).c


class DeadLetter(Base, table=True):
    """A dead letter: an event that was given up, with the `id` of its delivery."""

    __tablename__ = "events_dead"

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


DEAD = table_of(DeadLetter).c
