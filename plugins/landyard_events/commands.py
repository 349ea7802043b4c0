"""`landyard tasks`: what subscribers are still to hear of, dead letters, and who subscribes."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click
from msgspec import structs
from sqlalchemy import Connection

from landyard import Console, UnitOfWork
from landyard_events import tasks as events
from landyard_events.subscribing import outbox_of
from landyard_events.tasks import ListedSubscriber, NoSuchTask, Task, Tasks

_ids = click.argument("ids", type=click.IntRange(1, 2**63 - 1), nargs=-1, metavar="[ID]...")
_all_dead = click.option("--dead", "all_dead", is_flag=True, help="All dead letters.")
_last = click.option(
    "--last", type=click.IntRange(1), default=100, show_default=True, help="How many."
)


@click.group()
def tasks() -> None:
    """Tasks: events still to be delivered, and dead letters."""


@tasks.command("list")
@click.option("--dead", "only_dead", is_flag=True, help="Dead letters alone.")
@click.option("--failing", "only_failing", is_flag=True, help="What has failed and is tried again.")
@_last
@Console.json_option
@click.pass_obj
def list_tasks(
    console: Console, /, *, only_dead: bool, only_failing: bool, last: int, as_json: bool
) -> None:
    """List dead letters and what waits, the oldest first.

    `tries` and `error` are those of a subject's first event, for which the others wait. `next` is
    when it is tried again; while it is being delivered, when another worker may.
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
    """List who hears of events, and what waits for each.

    A subscriber hears of an event in its transaction, or after it.
    """
    with console.host() as host, host.store.unit(writes=False) as unit:
        durable = outbox_of(host.store.engine).subscribers
        listed = events.list_subscribers(unit.connection, host.plugins.subscribers, durable)
    rows = [structs.astuple(each) for each in listed]
    console.table(ListedSubscriber.__struct_fields__, rows, as_json=as_json)


@tasks.command()
@_ids
@_all_dead
@click.pass_obj
def retry(console: Console, ids: tuple[int, ...], all_dead: bool) -> None:
    """Try dead letters again, or at once what waits.

    Dead letters come behind what waits already.
    """
    count = _with_tasks(console, ids, events.retry_tasks, all_dead=all_dead)
    console.say(f"{_events(count)} due again")


@tasks.command()
@_ids
@_all_dead
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def drop(console: Console, ids: tuple[int, ...], all_dead: bool, yes: bool) -> None:
    """Remove dead letters, or what waits, for good.

    Nobody hears of it.
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
    """Find dead letters and deliveries by their ids, and do `work` with both; count them."""
    if not ids and not all_dead:
        raise click.UsageError("name ids, as `landyard tasks list` shows them, or --dead")

    def whole(unit: UnitOfWork) -> int:
        try:
            found = events.find_tasks(unit.connection, ids, all_dead=all_dead)
        except NoSuchTask as none:
            raise click.ClickException(f"{none}; see `landyard tasks list`") from none
        work(unit.connection, found, host.now())
        console.record(host, unit)
        return len(found)

    with console.host() as host:
        return host.store.run(whole, writes=True)


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"
