"""The database: one transaction per call, rerun when the database asks for it."""

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
from sqlalchemy import Connection, DateTime, Dialect, Engine, TypeDecorator, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

T = TypeVar("T")

PATIENCE = 10.0  # seconds a call waits for the database before it is told to come back later
_SQLITE_BUSY = frozenset({5, 6})  # SQLITE_BUSY, SQLITE_LOCKED
_POSTGRES_RERUN = frozenset({"40001", "40P01", "55P03"})  # serialization, deadlock, lock timeout


class Busy(Exception):
    """The database was too busy for a call, also when it was run again."""


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
        self._turn = threading.Lock()

    def unit(self, *, writes: bool) -> "UnitOfWork":
        """Return one transaction to enter: it commits at the end, or rolls back on an exception."""
        return UnitOfWork(self, writes=writes)

    def run(self, work: "Callable[[UnitOfWork], T]", *, writes: bool) -> T:
        """Do `work` in a transaction of its own, again when the database says so.

        Busy databases, deadlocks and serialization failures rerun the whole of `work`, which
        must have no effect outside the database. Raises `Busy` when that does not help.
        """
        deadline = time.monotonic() + PATIENCE
        for attempt in itertools.count():
            try:
                with self.unit(writes=writes) as unit:
                    return work(unit)
            except DBAPIError as error:
                if not _worth_a_rerun(error):
                    raise
                if time.monotonic() > deadline:
                    raise Busy from error
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))  # noqa: S311 - jitter
        raise AssertionError  # pragma: no cover - the loop returns or raises

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
        """Surround a transaction that is not a call's: the command line, start-up, tests."""
        with self.unit(writes=writes) as unit:
            yield unit.session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


class UnitOfWork:
    """One transaction that begins when its connection or session is first asked for."""

    __slots__ = ("_connection", "_holds_turn", "_session", "_store", "_writes")

    def __init__(self, store: Store, *, writes: bool) -> None:
        self._store = store
        self._writes = writes
        self._connection: Connection | None = None
        self._session: Session | None = None
        self._holds_turn = False

    @property
    def connection(self) -> Connection:
        """The connection, for Core statements; on SQLite a writer begins with BEGIN IMMEDIATE."""
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    @property
    def session(self) -> Session:
        """A session on the same transaction, for the ORM."""
        if self._session is None:
            self._session = Session(self.connection, expire_on_commit=False)
        return self._session

    def _connect(self) -> Connection:
        if self._store.sqlite and self._writes:
            if not self._store._turn.acquire(timeout=PATIENCE):  # noqa: SLF001 - one noun, two classes
                raise Busy
            self._holds_turn = True
        connection = self._store.engine.connect()
        self._connection = connection.execution_options(landyard_writes=self._writes)
        connection.begin()
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        try:
            if error is None:
                self._commit()
        finally:
            self._close()

    def _commit(self) -> None:
        if self._session is not None:
            self._session.flush()
        if self._connection is not None:
            self._connection.commit()

    def _close(self) -> None:
        """End the transaction; what was not committed is rolled back."""
        try:
            if self._session is not None:
                self._session.close()
            if self._connection is not None:
                self._connection.close()
        finally:
            self._session = self._connection = None
            if self._holds_turn:
                self._holds_turn = False
                self._store._turn.release()  # noqa: SLF001


def _worth_a_rerun(error: DBAPIError) -> bool:
    sqlite_code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    return sqlite_code in _SQLITE_BUSY or getattr(error.orig, "sqlstate", "") in _POSTGRES_RERUN


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
        return engine
    engine = create_engine(url, connect_args={"timeout": busy_timeout}, **options)
    event.listen(engine, "do_connect", _make_folder)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


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
