"""Queues of the outbox: events are added, claimed for a while, and removed once they are delivered.

A queue holds what one subscriber is to hear of one subject. Who has claimed it alone delivers from
it, so a subject is heard of in order.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, exists, func, insert, select, text, update

from landyard import Moment
from landyard_events.tables import DEAD, DELIVERY, QUEUE

TOGETHER = 50  # queues that are claimed at once
EACH = 20  # events of one queue that are delivered at once

# The row is locked by this, before the event's number is taken by the next.
_OPEN = text(
    "INSERT INTO events_queue (subscriber, target, subject, due_at, holder, tries, error)"
    " VALUES (:subscriber, :target, :subject, :due, '', 0, '')"
    " ON CONFLICT (subscriber, target, subject) DO UPDATE SET subject = excluded.subject"
    " RETURNING id"
).bindparams(bindparam("due", type_=Moment))
_ADD = insert(DELIVERY.id.table)
_DUE = (
    select(QUEUE.subscriber, func.count().label("queues"))
    .where(QUEUE.due_at <= bindparam("now", type_=Moment))
    .group_by(QUEUE.subscriber)
)
_NEXT = select(func.min(QUEUE.due_at)).where(
    QUEUE.subscriber.in_(bindparam("names", expanding=True))
)
_CLAIMABLE = (
    select(QUEUE.id, QUEUE.target, QUEUE.subject, QUEUE.tries)
    .where(QUEUE.subscriber == bindparam("name"), QUEUE.due_at <= bindparam("now", type_=Moment))
    .order_by(QUEUE.due_at, QUEUE.id)
    .limit(TOGETHER)
    .with_for_update(skip_locked=True)
)
_THESE = QUEUE.id.in_(bindparam("ids", expanding=True))
_CLAIM = (
    update(QUEUE.id.table)
    .where(_THESE)
    .values(holder=bindparam("me"), due_at=bindparam("until"), tries=QUEUE.tries + 1)
)
_WAITING = (
    select(*(DELIVERY[name] for name in ("id", "event_id", "topic", "body", "at")))
    .where(DELIVERY.queue_id == bindparam("queue"))
    .order_by(DELIVERY.id)
    .limit(EACH)
)
_RELEASE = (
    update(QUEUE.id.table)
    .where(_THESE, QUEUE.holder == bindparam("me"), QUEUE.due_at > bindparam("now", type_=Moment))
    .values(holder="", tries=0, error="", due_at=bindparam("now", type_=Moment))
)
_DELIVERED = delete(DELIVERY.id.table).where(DELIVERY.id.in_(bindparam("ids", expanding=True)))
_POSTPONE = (
    update(QUEUE.id.table)
    .where(QUEUE.id == bindparam("queue"))
    .values(
        **{name: bindparam(name) for name in ("tries", "error")},
        due_at=bindparam("due", type_=Moment),
    )
)
_CLOSE = delete(QUEUE.id.table).where(_THESE, ~exists().where(DELIVERY.queue_id == QUEUE.id))
_BURY = insert(DEAD.id.table)


class Address(Struct, frozen=True):
    """What a queue is for: the events of one subject, for a subscriber or one target of it."""

    subscriber: str
    target: str
    subject: str


class Waiting(Struct, frozen=True):
    """An event that waits in a queue; `id` is its number there."""

    id: int
    event_id: str
    topic: str
    body: str
    at: datetime


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
    queue = connection.execute(_OPEN, {**named, "due": due}).scalar_one()
    kept = {name: getattr(event, name) for name in event.__struct_fields__ if name != "id"}
    connection.execute(_ADD, {**kept, "queue_id": queue})


def due_subscribers(connection: Connection, now: datetime) -> dict[str, int]:
    """Count the queues that are due, by subscriber."""
    return {name: count for name, count in connection.execute(_DUE, {"now": now})}  # noqa: C416 - rows are no pairs to mypy


def next_due(connection: Connection, subscribers: Iterable[str]) -> datetime | None:
    """Return when the next queue of these subscribers is due; None where nothing waits."""
    found: datetime | None = connection.execute(_NEXT, {"names": list(subscribers)}).scalar()
    return found


def claim(connection: Connection, subscriber: str, now: datetime, seconds: float) -> Claim | None:
    """Claim queues of a subscriber that are due for so many seconds; None where none is.

    One whose first event was tried before is claimed alone: it may end the process.
    """
    rows = list(connection.execute(_CLAIMABLE, {"name": subscriber, "now": now}))
    fresh = [row for row in rows if not row.tries]
    rows = rows[:1] if rows and rows[0].tries else fresh
    if not rows:
        return None
    holder = uuid.uuid4().hex
    until = now + timedelta(seconds=seconds)
    ids = [row.id for row in rows]
    connection.execute(_CLAIM, {"ids": ids, "me": holder, "until": until})
    queues = [
        Claimed(
            row.id,
            row.target,
            row.subject,
            row.tries + 1,
            [Waiting(*each) for each in connection.execute(_WAITING, {"queue": row.id})],
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
    kept = connection.execute(_RELEASE, {"ids": ids, "me": claim.holder, "now": now})
    if kept.rowcount != len(ids):
        raise ClaimLost(f"the deliveries of '{claim.subscriber}' took too long")
    gone = list(delivered)
    for queue in claim.queues:
        if (failure := failed.get(queue.id)) is None:
            continue
        if failure.due is None:
            _bury(connection, claim.subscriber, queue, failure, now)
            gone.append(failure.event.id)
        else:
            put_off = {"queue": queue.id, "tries": failure.tries, "due": failure.due}
            connection.execute(_POSTPONE, {**put_off, "error": failure.error})
    if gone:
        connection.execute(_DELIVERED, {"ids": gone})
    connection.execute(_CLOSE, {"ids": ids})


def _bury(
    connection: Connection, subscriber: str, queue: Claimed, failure: Failed, now: datetime
) -> None:
    event = failure.event
    row = {name: getattr(event, name) for name in event.__struct_fields__}
    row |= {"subscriber": subscriber, "target": queue.target, "subject": queue.subject}
    row |= {"dead_at": now, "tries": failure.tries, "error": failure.error}
    connection.execute(_BURY, row)
