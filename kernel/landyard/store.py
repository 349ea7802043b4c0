"""The database: one transaction per call, rerun when the database asks for it."""

import functools
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import structlog
from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    TypeDecorator,
)
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from landyard.engines import LentConnection, make_engine
from landyard.seats import here
from landyard.units import ActionFailed, QueuedUnit, UnitOfWork
from landyard.writers import HOLD, Again, Busy, Writers

__all__ = ["PATIENCE", "Moment", "Store", "UnitOfWork"]

T = TypeVar("T")

log = structlog.get_logger()

PATIENCE = 10.0  # seconds a call waits for the database before it is told to come back later
_SQLITE_BUSY = frozenset({5, 6})  # SQLITE_BUSY, SQLITE_LOCKED
_POSTGRES_RERUN = frozenset({"40001", "40P01", "55P03"})  # serialization, deadlock, lock timeout


class Moment(TypeDecorator[datetime]):
    """A column that holds a moment: an aware datetime, kept in UTC on every database."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else value.replace(tzinfo=UTC)


class Store:
    """A database by URL: SQLite or PostgreSQL."""

    def __init__(
        self,
        url: str,
        *,
        connections: int = 5,
        busy_timeout: float = 5.0,
        durable: bool = True,
        hold: float = HOLD,
        on_held: Callable[[str], None] = lambda _owner: None,
        on_action_failed: ActionFailed = lambda _owner, _error: None,
    ) -> None:
        """Prepare to connect; `busy_timeout` is how many seconds a writer waits for its turn.

        What is not `durable` may be lost with the machine's power, on SQLite, and costs no wait
        for the disk. For `hold` and `on_held` see `Writers`; `on_action_failed` is told whose
        `when_kept` or `when_undone` raised what.
        """
        self.engine = make_engine(url, connections, busy_timeout, durable=durable)
        self.sqlite = self.engine.dialect.name == "sqlite"
        # SQLite lets waiting writers sleep and poll. Within a process they queue here instead.
        self._writers = (
            Writers(self._begin_writing, lambda: PATIENCE, hold=hold, on_held=on_held)
            if self.sqlite
            else None
        )
        self._on_action_failed = on_action_failed

    def unit(self, *, writes: bool, alone: bool = True) -> UnitOfWork:
        """Return one transaction to enter: it commits at the end, or rolls back on an exception.

        One that is not `alone` may be shared, and then not be kept for another's fault: `Again`.
        """
        if not writes:
            return UnitOfWork(self._begin_reading, self._on_action_failed)
        if self._writers is not None:
            return QueuedUnit(self._writers, self._on_action_failed, alone=alone)
        return UnitOfWork(self._begin_writing, self._on_action_failed)

    def run(self, work: Callable[[UnitOfWork], T], *, writes: bool) -> T:
        """Do `work` in a transaction of its own, again when the database says so.

        Busy databases, deadlocks and serialization failures rerun the whole of `work`, which
        must have no effect outside the database. Raises `Busy` when that does not help.
        """
        seat = here()
        if owner := seat.owner:  # a handler's `apart`: only its own work is the plugin's
            again = functools.partial(seat.run, owner, work)
            return seat.aside(lambda: self.run(again, writes=writes))
        alone = False
        deadline = 0.0
        attempt = 0
        while True:
            unit = self.unit(writes=writes, alone=alone)
            try:
                with unit:
                    return work(unit)
            except Again as again:
                # It may be another call's fault; alone there is none. A full disk stays full.
                if alone and not _worth_a_rerun(again.cause):
                    raise again.cause from None
                alone = True
            except DBAPIError as error:
                if not _worth_a_rerun(error):
                    raise
            deadline = deadline or (unit.since or time.monotonic()) + PATIENCE
            if time.monotonic() > deadline:
                raise Busy
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))  # noqa: S311 - jitter
            attempt += 1

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
        """Surround a transaction that is not a call's: the command line, start-up, tests."""
        try:
            with self.unit(writes=writes) as unit:
                yield unit.session
        except Again as again:
            raise again.cause from None

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """Surround a change of the schema: one transaction in which tables can be made anew.

        SQLite would take the rows that refer to a table along when the old one is dropped.
        """
        with self.engine.connect() as connection:
            if self.sqlite:
                _sqlite(connection, "PRAGMA foreign_keys=OFF")
            try:
                with connection.begin():
                    yield connection
                    if self.sqlite and (broken := _sqlite(connection, "PRAGMA foreign_key_check")):
                        raise RuntimeError(f"rows refer to what is not there: {broken[:3]}")
            finally:
                if self.sqlite:
                    _sqlite(connection, "PRAGMA foreign_keys=ON")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _begin_reading(self) -> LentConnection:
        connection = LentConnection(self.engine, writes=False)
        connection.begin_and_lend()
        return connection

    def _begin_writing(self) -> LentConnection:
        connection = LentConnection(self.engine, writes=True)
        connection.begin_and_lend()
        return connection


def _sqlite(connection: Connection, statement: str) -> list[Any]:
    # On the driver's connection: SQLAlchemy would begin a transaction, and SQLite changes
    # `foreign_keys` outside of one only.
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver.execute(statement).fetchall()


def _worth_a_rerun(error: Exception) -> bool:
    driver = error.orig if isinstance(error, DBAPIError) else error
    sqlite_code = getattr(driver, "sqlite_errorcode", 0) & 0xFF
    return sqlite_code in _SQLITE_BUSY or getattr(driver, "sqlstate", "") in _POSTGRES_RERUN
