"""`landyard tasks`: what subscribers are still to hear of, dead letters, and who subscribes."""

from collections.abc import Callable
from typing import Any

import click
from sqlalchemy import Connection, delete, func, literal, select, update

from landyard import Console, Event, UnitOfWork, json_option
from landyard_events.queues import Address, Waiting, add
from landyard_events.subscribing import outbox_of
from landyard_events.tables import DEAD, DELIVERY, QUEUE

_KEPT = ("event_id", "topic", "body", "at")
_COLUMNS = (
    "id",
    "state",
    "subscriber",
    "target",
    "subject",
    "topic",
    "at",
    "tries",
    "next",
    "error",
)
_DEAD = select(
    DEAD.id,
    literal("dead").label("state"),
    *(DEAD[name] for name in ("subscriber", "target", "subject", "topic", "at", "tries")),
    literal(None).label("next"),
    DEAD.error,
).order_by(DEAD.id)
_FIRST = (
    select(func.min(DELIVERY.id))
    .where(DELIVERY.queue_id == QUEUE.id)
    .correlate(QUEUE.id.table)
    .scalar_subquery()
)
_WAITING = (
    select(
        DELIVERY.id,
        literal("waiting").label("state"),
        *(QUEUE.subscriber, QUEUE.target, QUEUE.subject, DELIVERY.topic, DELIVERY.at),
        *(QUEUE.tries, QUEUE.due_at.label("next"), QUEUE.error),
    )
    .join(QUEUE.id.table, QUEUE.id == DELIVERY.queue_id)
    .order_by(DELIVERY.id)
)
_ids = click.argument("ids", type=click.IntRange(1, 2**63 - 1), nargs=-1, metavar="[ID]...")
_all_dead = click.option("--dead", "all_dead", is_flag=True, help="All dead letters.")
_last = click.option(
    "--last", type=click.IntRange(1), default=100, show_default=True, help="How many."
)


@click.group()
def tasks() -> None:
    """Tasks: events that subscribers are still to hear of, and dead letters."""


@tasks.command("list")
@click.option("--dead", "only_dead", is_flag=True, help="Dead letters alone.")
@click.option("--failing", "only_failing", is_flag=True, help="What has failed and is tried again.")
@_last
@json_option
@click.pass_obj
def list_tasks(
    console: Console, /, *, only_dead: bool, only_failing: bool, last: int, as_json: bool
) -> None:
    """List dead letters and what waits, the oldest first.

    `tries` and `error` are those of a subject's first event, for which the others wait. `next` is
    when it is tried again; while it is being delivered, when another worker may.
    """
    failing = _WAITING.where(QUEUE.error != "", DELIVERY.id == _FIRST)
    wanted = [] if only_failing else [_DEAD]
    wanted += [] if only_dead else [failing if only_failing else _WAITING]
    rows: list[Any] = []
    with console.kernel() as kernel, kernel.store.session() as session:
        for query in wanted:
            rows += map(tuple, session.execute(query.limit(last - len(rows))))
    console.table(_COLUMNS, rows, as_json=as_json)


@tasks.command("subscribers")
@json_option
@click.pass_obj
def list_subscribers(console: Console, as_json: bool) -> None:
    """List who hears of events: in their transaction, or after it, with what waits."""
    rows: list[Any] = []
    with console.kernel() as kernel, kernel.store.session() as session:
        waiting = _counts(session.connection(), waiting=True)
        dead = _counts(session.connection(), waiting=False)
        durable = outbox_of(kernel.store.engine).subscribers
        for kind, hooks in kernel.registry.subscribers.items():
            # A base type of several has no topic; that of all is every one's.
            topic = "*" if kind is Event else getattr(kind, "topic", kind.__name__)
            for hook in hooks:
                name = getattr(hook.function, "name", "")
                when = "after" if name in durable else "inside"
                rows.append((topic, hook.plugin, when, name, waiting.get(name), dead.get(name)))
        off = sorted((waiting.keys() | dead.keys()) - durable.keys())
        rows += [("", "", "off", name, waiting.get(name), dead.get(name)) for name in off]
    columns = ("event", "plugin", "when", "name", "waiting", "dead")
    console.table(columns, rows, as_json=as_json)


@tasks.command()
@_ids
@_all_dead
@click.pass_obj
def retry(console: Console, ids: tuple[int, ...], all_dead: bool) -> None:
    """Try dead letters again, behind what waits already; or what waits, at once."""

    def work(unit: UnitOfWork, found: list[Any], waiting: list[Any]) -> None:
        for row in found:
            event = Waiting(0, *(getattr(row, name) for name in _KEPT))
            address = Address(row.subscriber, row.target, row.subject)
            add(unit.connection, address, event, kernel.now())
        _forget(unit.connection, found)
        queues = [row.queue_id for row in waiting]
        # What is being delivered at this moment is left to who does it.
        due = update(QUEUE.id.table).where(QUEUE.id.in_(queues), QUEUE.holder == "")
        unit.connection.execute(due.values(due_at=kernel.now(), tries=0))

    with console.kernel() as kernel:
        count = _with_rows(kernel.store.run, ids, work, all_dead=all_dead)
    console.say(f"{_events(count)} due again")


@tasks.command()
@_ids
@_all_dead
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop(console: Console, ids: tuple[int, ...], all_dead: bool, yes: bool) -> None:
    """Remove dead letters, or what waits, for good: nobody hears of it."""
    if not yes:
        what = "all dead letters" if all_dead else _events(len(ids))
        click.confirm(f"Remove {what} for good?", abort=True, err=True)

    def work(unit: UnitOfWork, found: list[Any], waiting: list[Any]) -> None:
        _forget(unit.connection, found)
        gone = [row.id for row in waiting]
        unit.connection.execute(delete(DELIVERY.id.table).where(DELIVERY.id.in_(gone)))
        # The next of the subject begins anew; a queue without any is removed when it is due.
        queues = [row.queue_id for row in waiting]
        due = update(QUEUE.id.table).where(QUEUE.id.in_(queues), QUEUE.holder == "")
        unit.connection.execute(due.values(due_at=kernel.now(), tries=0, error=""))

    with console.kernel() as kernel:
        count = _with_rows(kernel.store.run, ids, work, all_dead=all_dead)
    console.say(f"{_events(count)} removed for good")


def _with_rows(
    run: Callable[..., int],
    ids: tuple[int, ...],
    work: Callable[[UnitOfWork, list[Any], list[Any]], None],
    *,
    all_dead: bool,
) -> int:
    """Find dead letters and deliveries by their ids, and do `work` with both; count them."""
    if not ids and not all_dead:
        raise click.UsageError("name ids, as `landyard tasks list` shows them, or --dead")

    def whole(unit: UnitOfWork) -> int:
        query = select(*DEAD) if all_dead else select(*DEAD).where(DEAD.id.in_(ids))
        dead = list(unit.connection.execute(query.order_by(DEAD.id)))
        waiting = list(unit.connection.execute(select(*DELIVERY).where(DELIVERY.id.in_(ids))))
        if missing := set(ids) - {row.id for row in [*dead, *waiting]}:
            raise click.ClickException(
                f"there is no event {min(missing)}; see `landyard tasks list`"
            )
        work(unit, dead, waiting)
        return len(dead) + len(waiting)

    return run(whole, writes=True)


def _forget(connection: Connection, dead: list[Any]) -> None:
    connection.execute(delete(DEAD.id.table).where(DEAD.id.in_([row.id for row in dead])))


def _counts(connection: Connection, *, waiting: bool) -> dict[str, int]:
    name = QUEUE.subscriber if waiting else DEAD.subscriber
    query = select(name, func.count())
    if waiting:
        query = query.join(DELIVERY.id.table, QUEUE.id == DELIVERY.queue_id)
    return {each: count for each, count in connection.execute(query.group_by(name))}  # noqa: C416 - rows are no pairs to mypy


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"
