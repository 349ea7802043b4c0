"""Tasks as an operator sees them: what waits and dead letters, tried again or removed."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, Select, delete, func, literal, select, update

from landyard import Event
from landyard_events.queues import Address, Waiting, add
from landyard_events.tables import DEAD, DELIVERY, QUEUE

_KEPT = ("event_id", "topic", "body", "at")
DEAD_LETTERS = select(
    DEAD.id,
    literal("dead").label("state"),
    *(DEAD[name] for name in ("subscriber", "target", "subject", "topic", "at", "tries")),
    literal(None).label("next"),
    DEAD.error,
).order_by(DEAD.id)
"""Selects dead letters, with the columns of `Task`."""
_FIRST = (
    select(func.min(DELIVERY.id))
    .where(DELIVERY.queue_id == QUEUE.id)
    .correlate(QUEUE.id.table)
    .scalar_subquery()
)
WAITING = (
    select(
        DELIVERY.id,
        literal("waiting").label("state"),
        *(QUEUE.subscriber, QUEUE.target, QUEUE.subject, DELIVERY.topic, DELIVERY.at),
        *(QUEUE.tries, QUEUE.due_at.label("next"), QUEUE.error),
    )
    .join(QUEUE.id.table, QUEUE.id == DELIVERY.queue_id)
    .order_by(DELIVERY.id)
)
"""Selects what waits, with the columns of `Task`."""
FAILING = WAITING.where(QUEUE.error != "", DELIVERY.id == _FIRST)
"""Selects what has failed and is tried again, with the columns of `Task`."""


class NoSuchTask(Exception):
    """There is no event of this id; the text says so."""


class Task(Struct, frozen=True):
    """An event that a subscriber is still to hear of, or a dead letter: its `state`.

    `tries` and `error` are those of a subject's first event, for which the others wait. `next` is
    when it is tried again; while it is being delivered, when another worker may.
    """

    id: int
    state: str
    subscriber: str
    target: str
    subject: str
    topic: str
    at: datetime
    tries: int
    next: datetime | None
    error: str


class ListedSubscriber(Struct, frozen=True):
    """Who hears of an event: `when` is `inside` its transaction, `after` it, or `off` now.

    `waiting` and `dead` are how many events, null for none.
    """

    event: str
    plugin: str
    when: str
    name: str
    waiting: int | None
    dead: int | None


class Tasks(Struct, frozen=True):
    """Dead letters and what waits, found by their ids."""

    dead: Sequence[Row[Any]]
    waiting: Sequence[Row[Any]]

    def __len__(self) -> int:
        """Count them."""
        return len(self.dead) + len(self.waiting)


def find_tasks(connection: Connection, ids: Collection[int], *, all_dead: bool) -> Tasks:
    """Find dead letters and what waits by their ids, or all dead letters; or `NoSuchTask`."""
    query = select(*DEAD) if all_dead else select(*DEAD).where(DEAD.id.in_(ids))
    dead = connection.execute(query.order_by(DEAD.id)).all()
    waiting = connection.execute(select(*DELIVERY).where(DELIVERY.id.in_(ids))).all()
    if missing := set(ids) - {row.id for row in [*dead, *waiting]}:
        raise NoSuchTask(f"there is no event {min(missing)}")
    return Tasks(dead, waiting)


def retry_tasks(connection: Connection, found: Tasks, now: datetime) -> None:
    """Try dead letters again, behind what waits already; or what waits, at once."""
    for row in found.dead:
        event = Waiting(0, *(getattr(row, name) for name in _KEPT))
        add(connection, Address(row.subscriber, row.target, row.subject), event, now)
    _forget(connection, found.dead)
    _make_due(connection, found, due_at=now, tries=0)


def drop_tasks(connection: Connection, found: Tasks, now: datetime) -> None:
    """Remove dead letters, or what waits, for good: nobody hears of it."""
    _forget(connection, found.dead)
    gone = [row.id for row in found.waiting]
    connection.execute(delete(DELIVERY.id.table).where(DELIVERY.id.in_(gone)))
    # The next of the subject begins anew; a queue without any is removed when it is due.
    _make_due(connection, found, due_at=now, tries=0, error="")


def list_subscribers(
    connection: Connection,
    subscribers: Mapping[type[Event], Sequence[Any]],
    durable: Collection[str],
) -> list[ListedSubscriber]:
    """List who hears of events, with what waits; also those that are off.

    `durable` are the names of those who hear of them after their commit.
    """
    listed = []
    waiting, dead = _counts(connection, waiting=True), _counts(connection, waiting=False)
    for kind, hooks in subscribers.items():
        # A base type of several has no topic; that of all is every one's.
        topic = "*" if kind is Event else getattr(kind, "topic", kind.__name__)
        for hook in hooks:
            name = getattr(hook.function, "name", "")
            when = "after" if name in durable else "inside"
            counts = (waiting.get(name), dead.get(name))
            listed.append(ListedSubscriber(topic, hook.plugin, when, name, *counts))
    off = sorted((waiting.keys() | dead.keys()) - set(durable))
    for name in off:
        counts = (waiting.get(name), dead.get(name))
        listed.append(ListedSubscriber("", "", "off", name, *counts))
    return listed


def selected(*, dead: bool, failing: bool) -> list[Select[Any]]:
    """Return the queries of what is wanted: dead letters alone, what fails alone, or all."""
    wanted = [] if failing else [DEAD_LETTERS]
    return wanted + ([] if dead else [FAILING if failing else WAITING])


def _make_due(connection: Connection, found: Tasks, **values: Any) -> None:
    queues = [row.queue_id for row in found.waiting]
    # What is being delivered at this moment is left to who does it.
    due = update(QUEUE.id.table).where(QUEUE.id.in_(queues), QUEUE.holder == "")
    connection.execute(due.values(**values))


def _forget(connection: Connection, dead: Sequence[Row[Any]]) -> None:
    connection.execute(delete(DEAD.id.table).where(DEAD.id.in_([row.id for row in dead])))


def _counts(connection: Connection, *, waiting: bool) -> dict[str, int]:
    name = QUEUE.subscriber if waiting else DEAD.subscriber
    query = select(name, func.count())
    if waiting:
        query = query.join(DELIVERY.id.table, QUEUE.id == DELIVERY.queue_id)
    return {each: count for each, count in connection.execute(query.group_by(name))}  # noqa: C416 - rows are no pairs to mypy
