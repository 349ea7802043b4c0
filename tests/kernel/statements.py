"""The statements that a store sends to its database, for tests that count them."""

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
    """Write down each statement, in order, until the end of the block."""
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
    """Write down what goes to the driver, and `BEGIN` for each transaction, until the block ends.

    Nobody listens to SQLAlchemy's statements meanwhile, for then each is run by itself. What is run
    for many rows is one.
    """
    told: list[str] = []
    listeners: dict[str, Callable[..., Any]] = {"begin": lambda _: told.append("BEGIN")}
    if store.sqlite:
        own = _telling(sqlite3.Cursor, told)

        class Told(_telling(sqlite3.Connection, told)):  # type: ignore[misc]
            def cursor(self) -> Any:
                return super().cursor(own)

        def use(_dialect: Any, _record: Any, _arguments: Any, options: dict[str, Any]) -> None:
            options["factory"] = Told

        listeners["do_connect"] = use
    else:
        own = _telling(psycopg.Cursor, told)
        listeners["connect"] = lambda driver, _: setattr(driver, "cursor_factory", own)
    for engine, (name, listener) in itertools.product(store.engines, listeners.items()):
        sa.event.listen(engine, name, listener, insert=True)
    store.close()  # connections that are open tell nothing
    try:
        yield told
    finally:
        store.close()
        for engine, (name, listener) in itertools.product(store.engines, listeners.items()):
            sa.event.remove(engine, name, listener)


def _telling(kind: Any, told: list[str]) -> Any:
    """A kind of cursors or connections of the driver which write down what they run."""

    class Telling(kind):  # type: ignore[misc]
        def execute(self, statement: str, *given: Any, **more: Any) -> Any:
            told.append(statement)
            return super().execute(statement, *given, **more)

        def executemany(self, statement: str, *given: Any, **more: Any) -> Any:
            told.append(statement)
            return super().executemany(statement, *given, **more)

    return Telling
