"""`landyard.task.list`, `retry`, `drop`, `landyard.subscriber.list`: management of deliveries."""

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
    text = "There is no waiting event and no dead letter with this id."


class ListTasks(Struct, frozen=True):
    """`state`: only dead letters, or only failed events to be tried again; `start`: the offset."""

    state: Literal["dead", "failing"] | None = None
    start: int = 0


class OfTasks(Struct, frozen=True):
    """`ids`: ids from `landyard.task.list`; `dead`: also all dead letters."""

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
    """List dead letters, then waiting events, the oldest of each first.

    At most 50 are answered; if more remain, the envelope carries `next` and `total`.
    """
    queries = selected(dead=params.state == "dead", failing=params.state == "failing")
    parts = union_all(*(query.order_by(None) for query in queries)).subquery()
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
    """Try dead letters again, after waiting events, or waiting events at once; answers how many."""
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
    """Remove dead letters, or waiting events, undelivered and for good; answers how many."""
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
    """List subscribers, called inside or after an event's transaction, with waiting events."""
    return list_subscribers(call.connection, call.subscribers, call.kept(Outbox).subscribers)


def _with_tasks(
    call: Call, params: OfTasks, work: Callable[[Connection, Tasks, datetime], None]
) -> int:
    if not params.ids and not params.dead:
        raise MissingParams.named(["ids"])
    try:
        selected_tasks = find_tasks(call.connection, params.ids, all_dead=params.dead)
    except NoSuchTask as none:
        raise TaskNotFound(f"Nothing was done: {none}.") from none
    work(call.connection, selected_tasks, call.now())
    return len(selected_tasks)
