"""`landyard.task.list`, `retry` and `drop`, `landyard.subscriber.list`: who is to hear of what."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct
from sqlalchemy import Connection, select, union_all

from landyard import (
    ADMIN,
    Call,
    CallError,
    Example,
    Irreversible,
    MethodGroup,
    MissingParams,
    Paged,
    WrongType,
    read_page,
)
from landyard_events.outbox import Outbox
from landyard_events.tasks import (
    ListedSubscriber,
    NoSuchTask,
    Task,
    Tasks,
    drop_tasks,
    find_tasks,
    list_subscribers,
    retry_tasks,
    selected,
)

tasks = MethodGroup(scope=ADMIN)


class TaskNotFound(CallError):
    code = "TASK_NOT_FOUND"
    text = "There is no such event that waits, and no such dead letter."


class ListTasks(Struct, frozen=True):
    """`state`: only dead letters, or what has failed and is tried again; `start`: the offset."""

    state: Literal["dead", "failing"] | None = None
    start: int = 0


class OfTasks(Struct, frozen=True):
    """`ids`: those of `landyard.task.list`; `dead`: all dead letters besides."""

    ids: Annotated[list[int], Meta(max_length=1000)] = []
    dead: bool = False


class Nothing(Struct, frozen=True):
    """No parameters."""


@tasks.method(
    "landyard.task.list",
    right="administrator",
    errors=[WrongType],
    example=Example({"state": "dead"}, result=[]),
)
def list_tasks(call: Call, params: ListTasks) -> Paged[Task]:
    """List dead letters, then what waits, the oldest of each first.

    At most 50 are answered; where more remain the envelope carries `next` and `total`.
    """
    wanted = selected(dead=params.state == "dead", failing=params.state == "failing")
    parts = union_all(*(query.order_by(None) for query in wanted)).subquery()
    query = select(parts).order_by(parts.c.state, parts.c.id)
    return read_page(call.connection, query, params.start, lambda row: Task(**row._asdict()))


@tasks.method(
    "landyard.task.retry",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, TaskNotFound],
    example=Example({"dead": True}, result=0),
)
def retry(call: Call, params: OfTasks) -> int:
    """Try dead letters again, behind what waits already, or what waits at once; count them."""
    return _with_tasks(call, params, retry_tasks)


@tasks.method(
    "landyard.task.drop",
    right="administrator",
    writes=True,
    notes=[Irreversible()],
    errors=[MissingParams, WrongType, TaskNotFound],
    example=Example({"dead": True}, result=0),
)
def drop(call: Call, params: OfTasks) -> int:
    """Remove dead letters, or what waits, for good: nobody hears of it. Answer how many."""
    return _with_tasks(call, params, drop_tasks)


@tasks.method(
    "landyard.subscriber.list",
    right="administrator",
    example=Example(
        {},
        result=[
            {
                "event": "landing.page.published",
                "plugin": "feed",
                "when": "inside",
                "name": "",
                "waiting": None,
                "dead": None,
            }
        ],
    ),
)
def subscribers(call: Call, _params: Nothing) -> list[ListedSubscriber]:
    """List who hears of events: inside of their transaction, or after it, with what waits."""
    return list_subscribers(call.connection, call.subscribers, call.kept(Outbox).subscribers)


def _with_tasks(
    call: Call, params: OfTasks, work: Callable[[Connection, Tasks, datetime], None]
) -> int:
    if not params.ids and not params.dead:
        raise MissingParams.named(["ids"])
    try:
        found = find_tasks(call.connection, params.ids, all_dead=params.dead)
    except NoSuchTask as none:
        raise TaskNotFound(f"Nothing was done: {none}.") from none
    work(call.connection, found, call.now())
    return len(found)
