"""Queues of the outbox: events are added, claimed for a while, and removed once they are delivered.

A queue holds what one subscriber is to hear of one subject. Who has claimed it alone delivers from
it, so a subject is heard of in order.
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

TOGETHER = 64  # queues that are claimed at once, at most
EACH = 20  # events of one queue that are delivered at once


class Waiting(Struct, frozen=True):
    """An event that waits in a queue; `id` is its number there."""

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


# The row is locked by this, before the event's number is taken by the next.
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
    """What a queue is for: the events of one subject, for a subscriber or one target of it."""

    subscriber: str
    target: str
    subject: str


class Claimed(Struct, frozen=True):
    """A queue that is claimed, with its first events; `tries` are those of the first, with this."""

    id: int
    target: str
    subject: str
    tries: int
    events: Sequence[Waiting]


class Claim(Struct, frozen=True):
    """Queues of a subscriber that are `holder`'s alone, until the time of the claim is over."""

    subscriber: str
    holder: str
    queues: Sequence[Claimed]


class Failed(Struct, frozen=True):
    """The first event of a queue has failed: it is due again, or without `due` a dead letter."""

    event: Waiting
    tries: int
    error: str
    due: datetime | None


class ClaimLost(Exception):
    """The time of a claim was over before what it delivered could be noted."""


def add(connection: Connection, address: Address, event: Waiting, due: datetime) -> None:
    """Add an event to a queue; its number is taken now, whatever `event` has."""
    named = {name: getattr(address, name) for name in address.__struct_fields__}
    ((queue,),) = _OPEN.all(connection, **named, due=due)
    kept = {name: getattr(event, name) for name in event.__struct_fields__ if name != "id"}
    _ADD.run(connection, **kept, queue_id=queue)


def due_subscribers(connection: Connection, now: datetime) -> dict[str, int]:
    """Count the queues that are due, by subscriber."""
    return dict(_DUE.all(connection, now=now))


def next_due(connection: Connection, subscribers: Iterable[str]) -> datetime | None:
    """Return when the next queue of these subscribers is due; None where nothing waits."""
    found: datetime | None
    ((found,),) = _NEXT.all(connection, names=list(subscribers))
    return found


def claim(
    connection: Connection,
    subscriber: str,
    now: datetime,
    seconds: float,
    most: int,
    *,
    busy: Iterable[str] = (),
) -> Claim | None:
    """Claim queues of a subscriber that are due, for so many seconds; None where none is.

    They are of one target, and of none that is `busy`: no target waits for another. One whose first
    event was tried before is claimed alone: it may end the process.
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
    """Remove what was delivered, put off or bury what `failed`, by queue, and end the claim.

    Raises `ClaimLost` where its time is over: then nothing of this may be kept.
    """
    ids = [queue.id for queue in claim.queues]
    if _RELEASE.run(connection, ids=ids, me=claim.holder, now=now) != len(ids):
        raise ClaimLost(f"the deliveries of '{claim.subscriber}' took too long")
    gone = list(delivered)
    for queue in claim.queues:
        if (failure := failed.get(queue.id)) is None:
            continue
        if failure.due is None:
            _bury(connection, claim.subscriber, queue, failure, now)
            gone.append(failure.event.id)
        else:
            put_off = {"tries": failure.tries, "due_at": failure.due, "error": failure.error}
            _POSTPONE.run(connection, queue=queue.id, **put_off)
    if gone:
        _DELIVERED.run(connection, ids=gone)
    _CLOSE.run(connection, ids=ids)


def _bury(
    connection: Connection, subscriber: str, queue: Claimed, failure: Failed, now: datetime
) -> None:
    event = failure.event
    row = {name: getattr(event, name) for name in event.__struct_fields__}
    row |= {"subscriber": subscriber, "target": queue.target, "subject": queue.subject}
    row |= {"dead_at": now, "tries": failure.tries, "error": failure.error}
    _BURY.run(connection, **row)
