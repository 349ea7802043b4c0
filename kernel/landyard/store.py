"""The database: one transaction per call, rerun when the database asks for it."""

import itertools
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

import structlog
from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    TypeDecorator,
)
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from landyard.engines import OPEN, make_engine
from landyard.writers import Again, Busy, Writers

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
        self, url: str, *, connections: int = 5, busy_timeout: float = 5.0, durable: bool = True
    ) -> None:
        """Prepare to connect; `busy_timeout` is how many seconds a writer waits for its turn.

        What is not `durable` may be lost with the machine's power, on SQLite, and costs no wait
        for the disk.
        """
        self.engine = make_engine(url, connections, busy_timeout, durable=durable)
        self.sqlite = self.engine.dialect.name == "sqlite"
        # SQLite lets waiting writers sleep and poll. Within a process they queue here instead.
        self._writers = Writers(self._begin, lambda: PATIENCE) if self.sqlite else None

    def unit(self, *, writes: bool) -> "UnitOfWork":
        """Return one transaction to enter: it commits at the end, or rolls back on an exception."""
        if writes and self._writers is not None:
            return QueuedUnit(self._writers)
        return UnitOfWork(lambda: self._begin(writes=writes))

    def run(self, work: "Callable[[UnitOfWork], T]", *, writes: bool) -> T:
        """Do `work` in a transaction of its own, again when the database says so.

        Busy databases, deadlocks and serialization failures rerun the whole of `work`, which
        must have no effect outside the database. Raises `Busy` when that does not help.
        """
        deadline = time.monotonic() + PATIENCE
        tried_again = False
        for attempt in itertools.count():
            try:
                with self.unit(writes=writes) as unit:
                    return work(unit)
            except Again as again:
                # Once, for it may be another call's fault; a full disk stays full.
                if tried_again and not _worth_a_rerun(again.cause):
                    raise again.cause from None
                tried_again = True
            except DBAPIError as error:
                if not _worth_a_rerun(error):
                    raise
            if time.monotonic() > deadline:
                raise Busy
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))  # noqa: S311 - jitter
        raise AssertionError  # pragma: no cover - the loop returns or raises

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

    def _begin(self, *, writes: bool = True) -> Connection:
        connection = self.engine.connect().execution_options(landyard_writes=writes)
        try:
            connection.begin()
        except BaseException:
            connection.close()
            raise
        connection.info[OPEN] = True
        return connection


class UnitOfWork:
    """One transaction that begins when its connection or session is first asked for."""

    __slots__ = ("_begin", "_connection", "_session", "_when_kept", "_when_undone")

    def __init__(self, begin: Callable[[], Connection]) -> None:
        self._begin = begin
        self._connection: Connection | None = None
        self._session: Session | None = None
        self._when_kept: list[Callable[[], object]] = []
        self._when_undone: list[Callable[[], object]] = []

    @property
    def begun(self) -> bool:
        """Whether the transaction has begun."""
        return self._connection is not None

    @property
    def connection(self) -> Connection:
        """The connection, for Core statements."""
        if self._connection is None:
            self._connection = self._begin()
        return self._connection

    @property
    def session(self) -> Session:
        """A session on the same transaction, for the ORM. Its own rollback ends no more than it."""
        if self._session is None:
            self._session = Session(
                self.connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
            )
        return self._session

    def when_kept(self, action: Callable[[], object]) -> None:
        """Do `action` once all of this is on disk: what cannot be taken back, a file's removal."""
        self._when_kept.append(action)

    def when_undone(self, action: Callable[[], object]) -> None:
        """Do `action` if none of this is kept: it takes back what no database can, a new file."""
        self._when_undone.append(action)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        kept = False
        try:
            self._close(failed=error is not None)
            kept = error is None
        finally:
            for action in self._when_kept if kept else reversed(self._when_undone):
                _do(action)

    def _close(self, *, failed: bool) -> None:
        try:
            if self._session is not None:
                self._end_session(self._session, failed=failed)
        except BaseException:
            failed = True
            raise
        finally:
            if self._connection is not None:
                self._end(self._connection, failed=failed)

    def _end_session(self, session: Session, *, failed: bool) -> None:
        try:
            if not failed:
                session.commit()
        finally:
            session.close()

    def _end(self, connection: Connection, *, failed: bool) -> None:
        connection.info.pop(OPEN, None)
        try:
            if not failed:
                connection.commit()
            elif not connection.in_transaction():
                # A handler tried to end it: the driver's own transaction is still open.
                connection.invalidate()
        finally:
            connection.close()  # what was not committed is rolled back


class QueuedUnit(UnitOfWork):
    """A unit of a writer on SQLite: its transaction may be shared, see `landyard.writers`."""

    __slots__ = ("_writers",)

    def __init__(self, writers: Writers) -> None:
        super().__init__(writers.enter)
        self._writers = writers

    def _end(self, connection: Connection, *, failed: bool) -> None:  # noqa: ARG002 - it is shared
        self._writers.leave(failed=failed)


def _sqlite(connection: Connection, statement: str) -> list[Any]:
    # On the driver's connection: SQLAlchemy would begin a transaction, and SQLite changes
    # `foreign_keys` outside of one only.
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver.execute(statement).fetchall()


def _do(action: Callable[[], object]) -> None:
    # The database has decided by now: nothing that happens here may change the answer.
    try:
        action()
    except Exception:
        log.exception("unit_action_failed")


def _worth_a_rerun(error: Exception) -> bool:
    driver = error.orig if isinstance(error, DBAPIError) else error
    sqlite_code = getattr(driver, "sqlite_errorcode", 0) & 0xFF
    return sqlite_code in _SQLITE_BUSY or getattr(driver, "sqlstate", "") in _POSTGRES_RERUN
