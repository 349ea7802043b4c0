"""Queries for operators: waiting events, dead letters and subscribers; retry and removal."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, Select, delete, func, literal, select, update

from landyard import Event
from landyard_events.queues import Address, Waiting, add
from landyard_events.tables import DEAD, DELIVERY, QUEUE

_EVENT_COLUMNS = ("event_id", "topic", "body", "at")
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
"""Selects waiting events, with the columns of `Task`."""
FAILING = WAITING.where(QUEUE.error != "", DELIVERY.id == _FIRST)
"""Selects failed events that are tried again, with the columns of `Task`."""


class NoSuchTask(Exception):
    """There is no event with this id; the text names it."""


class Task(Struct, frozen=True):
    """An event waiting for a subscriber, or a dead letter, by its `state`.

    `tries` and `error` are those of a subject's first event, for which the others wait. `next` is
    the time of the next try; during a delivery, the time when another worker may try.
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
    """A subscriber of an event, called `inside` its transaction or `after` it, or now `off`.

    `waiting` and `dead` are numbers of events, null for none.
    """

    event: str
    plugin: str
    when: str
    name: str
    waiting: int | None
    dead: int | None


class Tasks(Struct, frozen=True):
    """Dead letters and waiting events, found by their ids."""

    dead: Sequence[Row[Any]]
    waiting: Sequence[Row[Any]]

    def __len__(self) -> int:
        """Return the number of both."""
        return len(self.dead) + len(self.waiting)


def find_tasks(connection: Connection, ids: Collection[int], *, all_dead: bool) -> Tasks:
    """Return dead letters and waiting events with these ids; raises `NoSuchTask`."""
    query = select(*DEAD) if all_dead else select(*DEAD).where(DEAD.id.in_(ids))
    dead = connection.execute(query.order_by(DEAD.id)).all()
    waiting = connection.execute(select(*DELIVERY).where(DELIVERY.id.in_(ids))).all()
    if missing := set(ids) - {row.id for row in [*dead, *waiting]}:
        raise NoSuchTask(f"there is no event {min(missing)}")
    return Tasks(dead, waiting)


def retry_tasks(connection: Connection, selected_tasks: Tasks, now: datetime) -> None:
    """Queue dead letters again, after waiting events; make waiting events due at once."""
    for row in selected_tasks.dead:
        event = Waiting(0, *(getattr(row, name) for name in _EVENT_COLUMNS))
        add(connection, Address(row.subscriber, row.target, row.subject), event, now)
    _forget(connection, selected_tasks.dead)
    _make_due(connection, selected_tasks, due_at=now, tries=0)


def drop_tasks(connection: Connection, selected_tasks: Tasks, now: datetime) -> None:
    """Remove dead letters and waiting events for good, without delivery."""
    _forget(connection, selected_tasks.dead)
    removed = [row.id for row in selected_tasks.waiting]
    connection.execute(delete(DELIVERY.id.table).where(DELIVERY.id.in_(removed)))
    # The subject's next event starts with no tries; an empty queue is removed when it is due.
    _make_due(connection, selected_tasks, due_at=now, tries=0, error="")


def list_subscribers(
    connection: Connection,
    subscribers: Mapping[type[Event], Sequence[Any]],
    durable: Collection[str],
) -> list[ListedSubscriber]:
    """List subscribers with their numbers of waiting events, also those of inactive plugins.

    `durable` are the names of subscribers that are called after the commit.
    """
    subscriber_rows = []
    waiting, dead = _counts(connection, waiting=True), _counts(connection, waiting=False)
    for kind, hooks in subscribers.items():
        # The base type of several events has no topic; `Event` stands for all topics.
        topic = "*" if kind is Event else getattr(kind, "topic", kind.__name__)
        for hook in hooks:
            name = getattr(hook.function, "name", "")
            when = "after" if name in durable else "inside"
            counts = (waiting.get(name), dead.get(name))
            subscriber_rows.append(ListedSubscriber(topic, hook.plugin, when, name, *counts))
    off = sorted((waiting.keys() | dead.keys()) - set(durable))
    for name in off:
        counts = (waiting.get(name), dead.get(name))
        subscriber_rows.append(ListedSubscriber("", "", "off", name, *counts))
    return subscriber_rows


def selected(*, dead: bool, failing: bool) -> list[Select[Any]]:
    """Return the queries for only dead letters, only failing events, or all."""
    queries = [] if failing else [DEAD_LETTERS]
    return queries + ([] if dead else [FAILING if failing else WAITING])


def _make_due(connection: Connection, selected_tasks: Tasks, **values: Any) -> None:
    queues = [row.queue_id for row in selected_tasks.waiting]
    # Queues in delivery are left to their holder.
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
