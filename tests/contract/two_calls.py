"""Run two calls at once: stop one half-way while the other starts (needs concurrent writers)."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec import Struct

from landyard.testing import Service

PATIENCE = 10.0  # seconds
_WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
)

on_postgres = pytest.mark.parametrize(
    "database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
"""Marks tests that need two writers at once; SQLite allows one writer at a time."""


class Meeting(Struct, frozen=True):
    """The outcome of two calls that ran at once: their results, whether the second waited for the
    first, and the errors that the database raised.
    """

    first: Any
    second: Any
    waited: bool
    errors: list[str | None]


def meet(
    service: Service, first: Callable[[], Any], second: Callable[[], Any], *, after: str
) -> Meeting:
    """Stop `first` after its first statement that contains `after`, then start `second`.

    `first` continues to its commit as soon as `second` waits for a lock or has ended.
    """
    stop = _Stop(after)

    def begin() -> Any:
        stop.thread = threading.get_ident()
        return first()

    with _watched(service, stop) as errors, ThreadPoolExecutor(2) as pool:
        one = pool.submit(begin)
        try:
            assert stop.reached.wait(PATIENCE), f"no statement contained {after!r}"
            two = pool.submit(second)
            waited = _waits(service, two)
        finally:
            stop.over.set()
        return Meeting(one.result(PATIENCE), two.result(PATIENCE), waited, errors)


class _Stop:
    def __init__(self, after: str) -> None:
        self.thread = 0
        self.reached, self.over = threading.Event(), threading.Event()
        self._after = after

    def executed(self, statement: str) -> None:
        if threading.get_ident() == self.thread and self._after in statement:
            self.reached.set()
            self.over.wait(PATIENCE)


@contextmanager
def _watched(service: Service, stop: _Stop) -> Iterator[list[str | None]]:
    engine = service.kernel.store.engine
    errors: list[str | None] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        stop.executed(statement)

    def failed(context: Any) -> None:
        errors.append(getattr(context.original_exception, "sqlstate", None))

    listeners: dict[str, Callable[..., Any]] = {
        "after_cursor_execute": executed,
        "handle_error": failed,
    }
    for name, listener in listeners.items():
        sa.event.listen(engine, name, listener)
    yield errors
    for name, listener in listeners.items():
        sa.event.remove(engine, name, listener)


def _waits(service: Service, second: Future[Any]) -> bool:
    """Tell whether `second` starts to wait for a lock. False where it ends without waiting."""
    deadline = time.monotonic() + PATIENCE
    while not second.done():
        with service.kernel.store.session() as session:
            if session.execute(_WAITING).scalar():
                return True
        assert time.monotonic() < deadline, "the second call neither waits nor ends"
        time.sleep(0.01)
    return False
