"""The database: one transaction per call, rerun when the database asks for it."""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    Engine,
    TypeDecorator,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlmodel import Session

from landyard.writers import Again, Busy, Writers

T = TypeVar("T")

PATIENCE = 10.0  # seconds a call waits for the database before it is told to come back later
_OPEN = "landyard_open"
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

    def __init__(self, url: str, *, connections: int = 5, busy_timeout: float = 5.0) -> None:
        """Prepare to connect; `busy_timeout` is how many seconds a writer waits for its turn."""
        self.engine = _engine(url, connections, busy_timeout)
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
        connection.info[_OPEN] = True
        return connection


class UnitOfWork:
    """One transaction that begins when its connection or session is first asked for."""

    __slots__ = ("_begin", "_connection", "_session")

    def __init__(self, begin: Callable[[], Connection]) -> None:
        self._begin = begin
        self._connection: Connection | None = None
        self._session: Session | None = None

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        failed = error is not None
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
        connection.info.pop(_OPEN, None)
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


def _worth_a_rerun(error: Exception) -> bool:
    driver = error.orig if isinstance(error, DBAPIError) else error
    sqlite_code = getattr(driver, "sqlite_errorcode", 0) & 0xFF
    return sqlite_code in _SQLITE_BUSY or getattr(driver, "sqlstate", "") in _POSTGRES_RERUN


def _engine(url: str, connections: int, busy_timeout: float) -> Engine:
    options: dict[str, Any] = {
        "hide_parameters": True,  # bound values are pages and secrets: they stay out of errors
        "json_serializer": lambda value: msgspec.json.encode(value).decode(),
        "json_deserializer": msgspec.json.decode,
        "pool_size": connections,
        "max_overflow": connections,
    }
    if url.startswith(("postgresql://", "postgres://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    if not url.startswith("sqlite"):
        engine = create_engine(url, pool_pre_ping=True, **options)
        event.listen(engine, "handle_error", _drop_details)
        return _guarded(engine)
    if not make_url(url).database:
        raise ArgumentError("an SQLite database needs a file")
    engine = create_engine(url, connect_args={"timeout": busy_timeout}, **options)
    event.listen(engine, "do_connect", _make_folder)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return _guarded(engine)


def _guarded(engine: Engine) -> Engine:
    """Refuse commits and rollbacks of a connection that a handler has in hands."""
    event.listen(engine, "commit", _refuse_while_open)
    event.listen(engine, "rollback", _refuse_while_open)
    return engine


def _refuse_while_open(connection: Connection) -> None:
    if connection.info.pop(_OPEN, None):
        raise RuntimeError("a handler must not end its transaction: it commits when it returns")


def _drop_details(context: Any) -> None:
    """Keep the first line of a server's error: the lines below it quote the row's values."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args and isinstance(error.args[0], str):
            error.args = (error.args[0].partition("\n")[0], *error.args[1:])


def _make_folder(_dialect: Any, _record: Any, arguments: list[Any], _options: Any) -> None:
    # Only when a command connects: one that reads no data leaves no empty folder behind.
    Path(arguments[0]).parent.mkdir(parents=True, exist_ok=True)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver's own transaction handling begins too late and only before writes: take over.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Any) -> None:
    if connection.get_execution_options().get("landyard_writes", True):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # It waits for nobody and cannot fail: past SQLAlchemy, whose care costs more than it.
        connection.connection.execute("BEGIN").close()
