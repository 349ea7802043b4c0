"""Adds events to the queues of the outbox, claims them for a while, and removes delivered ones.

A queue holds the undelivered events of one subject for one subscriber. Only the thread that has
claimed a queue delivers from it, so events of a subject are delivered in order.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import (
    Connection,
    bindparam,
    delete,
    exists,
    func,
    insert,
    not_,
    select,
    text,
    update,
)

from landyard import Moment, Prepared, one_of
from landyard_events.tables import DEAD, DELIVERY, QUEUE

TOGETHER = 64  # the most queues claimed at once
EACH = 20  # the most events of one queue delivered at once


class Waiting(Struct, frozen=True):
    """An event waiting in a queue; `id` is its number there."""

    id: int
    event_id: str
    topic: str
    body: str
    at: datetime


class _Claimable(Struct, frozen=True):
    id: int
    target: str
    subject: str
    tries: int


# This locks the queue's row, before the next statement takes a number for the event.
_OPEN = Prepared(
    text(
        "INSERT INTO events_queue (subscriber, target, subject, due_at, holder, tries, error)"
        " VALUES (:subscriber, :target, :subject, :due, '', 0, '')"
        " ON CONFLICT (subscriber, target, subject) DO UPDATE SET subject = excluded.subject"
        " RETURNING id"
    )
    .bindparams(bindparam("due", type_=Moment))
    .columns(QUEUE.id)
)
_ADD = Prepared(insert(DELIVERY.id.table))
_DUE = Prepared(
    select(QUEUE.subscriber, func.count().label("queues"))
    .where(QUEUE.due_at <= bindparam("now", type_=Moment))
    .group_by(QUEUE.subscriber)
)
_NEXT = Prepared(select(func.min(QUEUE.due_at)).where(one_of(QUEUE.subscriber, "names")))
_CLAIMABLE = Prepared(
    select(QUEUE.id, QUEUE.target, QUEUE.subject, QUEUE.tries)
    .where(QUEUE.subscriber == bindparam("name"), QUEUE.due_at <= bindparam("now", type_=Moment))
    .where(not_(one_of(QUEUE.target, "busy")))
    .order_by(QUEUE.due_at, QUEUE.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True),
    _Claimable,
)
_THESE = one_of(QUEUE.id, "ids")
_CLAIM = Prepared(
    update(QUEUE.id.table)
    .where(_THESE)
    .values(holder=bindparam("me"), due_at=bindparam("until"), tries=QUEUE.tries + 1)
)
_WAITING = Prepared(
    select(*(DELIVERY[name] for name in ("id", "event_id", "topic", "body", "at")))
    .where(DELIVERY.queue_id == bindparam("queue"))
    .order_by(DELIVERY.id)
    .limit(EACH),
    Waiting,
)
_RELEASE = Prepared(
    update(QUEUE.id.table)
    .where(_THESE, QUEUE.holder == bindparam("me"), QUEUE.due_at > bindparam("now", type_=Moment))
    .values(holder="", tries=0, error="", due_at=bindparam("now", type_=Moment))
)
_DELIVERED = Prepared(delete(DELIVERY.id.table).where(one_of(DELIVERY.id, "ids")))
_POSTPONE = Prepared(update(QUEUE.id.table).where(QUEUE.id == bindparam("queue")))
_CLOSE = Prepared(
    delete(QUEUE.id.table).where(_THESE, ~exists().where(DELIVERY.queue_id == QUEUE.id))
)
_BURY = Prepared(insert(DEAD.id.table))


class Address(Struct, frozen=True):
    """The key of a queue: a subscriber, one of its targets or "", and a subject."""

    subscriber: str
    target: str
    subject: str


class Claimed(Struct, frozen=True):
    """A claimed queue with its first events; `tries` counts tries of the first, including this."""

    id: int
    target: str
    subject: str
    tries: int
    events: Sequence[Waiting]


class Claim(Struct, frozen=True):
    """A claim: queues of a subscriber that only `holder` may deliver until the claim expires."""

    subscriber: str
    holder: str
    queues: Sequence[Claimed]


class Failed(Struct, frozen=True):
    """The failure of a queue's first event: tried again at `due`, or without it a dead letter."""

    event: Waiting
    tries: int
    error: str
    due: datetime | None


class ClaimLost(Exception):
    """A claim expired before its deliveries could be stored."""


def add(connection: Connection, address: Address, event: Waiting, due: datetime) -> None:
    """Add an event to a queue under a new number; `event.id` is ignored."""
    key = {name: getattr(address, name) for name in address.__struct_fields__}
    ((queue,),) = _OPEN.all(connection, **key, due=due)
    columns = {name: getattr(event, name) for name in event.__struct_fields__ if name != "id"}
    _ADD.run(connection, **columns, queue_id=queue)


def due_subscribers(connection: Connection, now: datetime) -> dict[str, int]:
    """Return the number of due queues, by subscriber."""
    return dict(_DUE.all(connection, now=now))


def next_due(connection: Connection, subscribers: Iterable[str]) -> datetime | None:
    """Return when the next queue of these subscribers is due; None if nothing waits."""
    due: datetime | None
    ((due,),) = _NEXT.all(connection, names=list(subscribers))
    return due


def claim(
    connection: Connection,
    subscriber: str,
    now: datetime,
    seconds: float,
    most: int,
    *,
    busy: Iterable[str] = (),
) -> Claim | None:
    """Claim due queues of a subscriber for some seconds; None if none is due.

    All queues have one target, which is not `busy`: one target does not delay another. A queue
    whose first event was tried before is claimed alone, because it may kill the process.
    """
    rows = _CLAIMABLE.all(connection, name=subscriber, now=now, most=most, busy=list(busy))
    fresh = [row for row in rows if not row.tries and row.target == rows[0].target]
    rows = rows[:1] if rows and rows[0].tries else fresh
    if not rows:
        return None
    holder = uuid.uuid4().hex
    until = now + timedelta(seconds=seconds)
    ids = [row.id for row in rows]
    _CLAIM.run(connection, ids=ids, me=holder, until=until)
    queues = [
        Claimed(
            row.id,
            row.target,
            row.subject,
            row.tries + 1,
            _WAITING.all(connection, queue=row.id),
        )
        for row in rows
    ]
    return Claim(subscriber, holder, queues)


def finish(
    connection: Connection,
    claim: Claim,
    delivered: Iterable[int],
    failed: Mapping[int, Failed],
    now: datetime,
) -> None:
    """Remove delivered events, postpone or bury the `failed` ones, by queue, and end the claim.

    Raises `ClaimLost` if the claim has expired; the transaction must then be rolled back.
    """
    ids = [queue.id for queue in claim.queues]
    if _RELEASE.run(connection, ids=ids, me=claim.holder, now=now) != len(ids):
        raise ClaimLost(f"the deliveries of '{claim.subscriber}' took too long")
    removed = list(delivered)
    for queue in claim.queues:
        if (failure := failed.get(queue.id)) is None:
            continue
        if failure.due is None:
            _bury(connection, claim.subscriber, queue, failure, now)
            removed.append(failure.event.id)
        else:
            put_off = {"tries": failure.tries, "due_at": failure.due, "error": failure.error}
            _POSTPONE.run(connection, queue=queue.id, **put_off)
    if removed:
        _DELIVERED.run(connection, ids=removed)
    _CLOSE.run(connection, ids=ids)


def _bury(
    connection: Connection, subscriber: str, queue: Claimed, failure: Failed, now: datetime
) -> None:
    event = failure.event
    row = {name: getattr(event, name) for name in event.__struct_fields__}
    row |= {"subscriber": subscriber, "target": queue.target, "subject": queue.subject}
    row |= {"dead_at": now, "tries": failure.tries, "error": failure.error}
    _BURY.run(connection, **row)
