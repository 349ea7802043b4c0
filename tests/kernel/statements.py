"""Records the statements that a store sends to its database, for tests that count them."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy as sa

from landyard.storage.store import Store


@contextmanager
def noted(store: Store) -> Iterator[list[str]]:
    """Record each statement, in order, until the end of the block."""
    statements: list[str] = []

    def executed(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    for engine in store.engines:
        sa.event.listen(engine, "before_cursor_execute", executed)
    try:
        yield statements
    finally:
        for engine in store.engines:
            sa.event.remove(engine, "before_cursor_execute", executed)


@contextmanager
def sent(store: Store) -> Iterator[list[str]]:
    """Record what the driver gets, and `BEGIN` for each transaction, until the block ends.

    No listener on SQLAlchemy's statements is used, because it would split grouped statements. A
    statement for many rows counts as one.
    """
    messages: list[str] = []
    listeners: dict[str, Callable[..., Any]] = {"begin": lambda _: messages.append("BEGIN")}
    if store.sqlite:
        own = _telling(sqlite3.Cursor, messages)

        class Told(_telling(sqlite3.Connection, messages)):  # type: ignore[misc]
            def cursor(self) -> Any:
                return super().cursor(own)

        def use(_dialect: Any, _record: Any, _arguments: Any, options: dict[str, Any]) -> None:
            options["factory"] = Told

        listeners["do_connect"] = use
    else:
        own = _telling(psycopg.Cursor, messages)
        listeners["connect"] = lambda driver, _: setattr(driver, "cursor_factory", own)
    for engine, (name, listener) in itertools.product(store.engines, listeners.items()):
        sa.event.listen(engine, name, listener, insert=True)
    store.close()  # open connections would not record
    try:
        yield messages
    finally:
        store.close()
        for engine, (name, listener) in itertools.product(store.engines, listeners.items()):
            sa.event.remove(engine, name, listener)


def _telling(kind: Any, told: list[str]) -> Any:
    """A subclass of the driver's cursors or connections that records what they run."""

    class Telling(kind):  # type: ignore[misc]
        def execute(self, statement: str, *given: Any, **more: Any) -> Any:
            told.append(statement)
            return super().execute(statement, *given, **more)

        def executemany(self, statement: str, *given: Any, **more: Any) -> Any:
            told.append(statement)
            return super().executemany(statement, *given, **more)

    return Telling
