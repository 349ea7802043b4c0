"""`landyard tasks`: commands on waiting deliveries, dead letters and subscribers."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click
from msgspec import structs
from sqlalchemy import Connection

from landyard import Console, UnitOfWork
from landyard_events import tasks as events
from landyard_events.subscriptions import outbox_of
from landyard_events.tasks import ListedSubscriber, NoSuchTask, Task, Tasks

_ids = click.argument("ids", type=click.IntRange(1, 2**63 - 1), nargs=-1, metavar="[ID]...")
_all_dead = click.option("--dead", "all_dead", is_flag=True, help="All dead letters.")
_last = click.option(
    "--last", type=click.IntRange(1), default=100, show_default=True, help="How many rows to show."
)


@click.group()
def tasks() -> None:
    """Tasks: events still to be delivered, and dead letters."""


@tasks.command("list")
@click.option("--dead", "only_dead", is_flag=True, help="Only dead letters.")
@click.option(
    "--failing", "only_failing", is_flag=True, help="Only failed events that are tried again."
)
@_last
@Console.json_option
@click.pass_obj
def list_tasks(
    console: Console, /, *, only_dead: bool, only_failing: bool, last: int, as_json: bool
) -> None:
    """List dead letters and waiting events, the oldest first.

    `tries` and `error` are those of a subject's first event, for which the others wait. `next` is
    the time of the next try; during a delivery, the time when another worker may try.
    """
    rows: list[Any] = []
    with console.without_others().host() as host, host.store.unit(writes=False) as unit:
        for query in events.selected(dead=only_dead, failing=only_failing):
            rows += map(tuple, unit.connection.execute(query.limit(last - len(rows))))
    console.table(Task.__struct_fields__, rows, as_json=as_json)


@tasks.command("subscribers")
@Console.json_option
@click.pass_obj
def list_subscribers(console: Console, as_json: bool) -> None:
    """List the subscribers, and how many events wait for each.

    A subscriber is called inside the event's transaction, or after it.
    """
    with console.host() as host, host.store.unit(writes=False) as unit:
        durable = outbox_of(host.store.engine).subscribers
        subscribers = events.list_subscribers(unit.connection, host.plugins.subscribers, durable)
    rows = [structs.astuple(each) for each in subscribers]
    console.table(ListedSubscriber.__struct_fields__, rows, as_json=as_json)


@tasks.command()
@_ids
@_all_dead
@click.pass_obj
def retry(console: Console, ids: tuple[int, ...], all_dead: bool) -> None:
    """Try dead letters again, or waiting events at once.

    Dead letters are queued after waiting events.
    """
    count = _with_tasks(console, ids, events.retry_tasks, all_dead=all_dead)
    console.say(f"{_events(count)} due again")


@tasks.command()
@_ids
@_all_dead
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop(console: Console, ids: tuple[int, ...], all_dead: bool, yes: bool) -> None:
    """Remove dead letters, or waiting events, for good.

    They are never delivered.
    """
    if not yes:
        what = "all dead letters" if all_dead else _events(len(ids))
        click.confirm(f"Remove {what} for good?", abort=True, err=True)
    count = _with_tasks(console, ids, events.drop_tasks, all_dead=all_dead)
    console.say(f"{_events(count)} removed for good")


def _with_tasks(
    console: Console,
    ids: tuple[int, ...],
    work: Callable[[Connection, Tasks, datetime], None],
    *,
    all_dead: bool,
) -> int:
    """Call `work` with the dead letters and waiting events of these ids; return their number."""
    if not ids and not all_dead:
        raise click.UsageError("name ids, as `landyard tasks list` shows them, or --dead")

    def whole(unit: UnitOfWork) -> int:
        try:
            selected_tasks = events.find_tasks(unit.connection, ids, all_dead=all_dead)
        except NoSuchTask as none:
            raise click.ClickException(f"{none}; see `landyard tasks list`") from none
        work(unit.connection, selected_tasks, host.now())
        console.record(host, unit)
        return len(selected_tasks)

    with console.host() as host:
        return host.store.run(whole, writes=True)


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"
