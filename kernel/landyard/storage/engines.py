"""Makes engines that connect to SQLite or PostgreSQL, and recognises busy or lost databases."""

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from landyard.core.errors import Busy, OutcomeUnknown, Unavailable
from landyard.core.timing import Deadline
from landyard.storage import folding
from landyard.storage.driver_errors import wrapped
from landyard.storage.prepared import json_text

_SQLITE_WAIT = 5.0  # seconds that SQLite waits for another connection's lock
_SQLITE_LOOK = 0.25  # seconds: calls that read look so often whether the file is still there
_SQLITE_UNDO = "temp_store=MEMORY"  # what savepoints take back; through a file writes take thrice
_SQLITE_WRITE_WAIT = 0.25  # seconds; the group commit asks again until its patience ends
# What readers held up is checkpointed and cut off; without this the log stays at its longest.
_SQLITE_LOG = f"journal_size_limit={4 * 2**20}"  # bytes; SQLite begins anew at 4 MB
# SQLite's own wait for another process's lock grows to 100 ms, in which nobody may have it.
_SQLITE_POLL, _POLL = "busy_timeout=0", 0.0002  # seconds
# PostgreSQL's are a serialization failure, a deadlock and a lock's time-out.
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "40001", "40P01", "55P03"))
# No code: no connection was made, or it is gone. PostgreSQL's are its shutdown, its recovery, its
# limit of connections and its limit of time for a statement.
_POSTGRES_AWAY = ("57P01", "57P02", "57P03", "53300", "57014")
# Each statement of a default transaction sees what was committed just before it.
_POSTGRES_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_AWAY = frozenset((sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, None, *_POSTGRES_AWAY))
_CLOSED = "Cannot operate on a closed database."  # SQLAlchemy connects anew at this text
_OPERATIONAL = (OperationalError, sqlite3.OperationalError)
_GONE = "23503"  # of PostgreSQL; on SQLite nobody else writes meanwhile
_READ_ONLY = frozenset((sqlite3.SQLITE_READONLY, "25006"))


class LentConnection(Connection):
    """A connection that a handler is given: its transaction is not the handler's to end."""

    def __init__(self, engine: Engine) -> None:
        self._kept = kept_by(engine)
        try:
            connection = self._kept.pop()
        except IndexError:
            connection = _PutAside(engine)
        super().__init__(engine, cast("PoolProxiedConnection", connection))
        try:
            self._begin()
        except BaseException:
            self.end([])
            raise

    def _begin(self) -> None:
        try:
            self.begin()
        except DBAPIError:
            if not self.invalidated:
                raise
            # The server was started anew, or is away: the others are of no use either.
            close(self.engine)
            self.begin()

    def commit(self) -> None:
        """Refuse: the transaction ends with the handler. So do `rollback` and `close`."""
        raise RuntimeError("a handler must not end its transaction: it commits when it returns")

    rollback = close = commit

    def end(self, deadlines: Iterable[Deadline]) -> None:
        """Commit for the calls with these deadlines, and return to the pool.

        Rolls back if there are none, or if one has passed; then it raises `DeadlineExceeded`.
        Raises `OutcomeUnknown` where the connection was lost while it committed.
        """
        settled: list[Deadline] = []
        try:
            for deadline in deadlines:
                deadline.settle()
                settled.append(deadline)
            if settled:
                try:
                    super().commit()
                finally:
                    self._kept.commits += 1
        except BaseException as error:
            for deadline in settled:
                deadline.reopen()
            if settled and isinstance(error, DBAPIError) and error.connection_invalidated:
                raise OutcomeUnknown from error  # the server may have committed all the same
            raise
        finally:
            try:
                super().rollback()  # nothing where it has committed
                # The driver's: for SQLAlchemy a commit that failed has ended the transaction.
                self.connection.rollback()
            except Exception:  # noqa: BLE001 - server gone or disk failing: nothing is kept
                self.invalidate()
            super().close()


class _PutAside:
    """A connection of an engine's pool that is put aside when it is closed, and not back."""

    def __init__(self, engine: Engine) -> None:
        self._kept, self._pool = kept_by(engine), cast("QueuePool", engine.pool)
        try:
            self._connection = engine.raw_connection()
        except engine.dialect.loaded_dbapi.Error as error:
            raise wrapped(engine.dialect, error) from error
        self.driver_connection = self._connection.driver_connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def close(self) -> None:
        if self._pool.overflow() <= 0:  # else somebody may wait for the pool's
            self._kept.append(self)
        else:
            self._connection.close()


class Kept(deque[_PutAside]):
    """The connections that were put aside: SQLAlchemy's pool costs more than a look-up."""

    commits = 0

    def __init__(self) -> None:
        """Keep none yet; each of `closing` is called when all are closed."""
        super().__init__()
        self.closing: list[Callable[[], object]] = []


def kept_by(engine: Engine) -> Kept:
    """Return the connections that were given back, and how often they have committed."""
    kept: Kept = engine.get_execution_options()["kept"]
    return kept


def close(engine: Engine) -> None:
    """Close the connections that nobody uses."""
    kept = kept_by(engine)
    with suppress(IndexError):  # others take of them, too
        while True:
            kept.pop().invalidate()
    engine.dispose()
    for each in kept.closing:
        each()


def make_engines(
    url: str, connections: int, patience: float, *, durable: bool = True
) -> tuple[Engine, Engine]:
    """Make the engines of a URL for writing and for reading; `ArgumentError` for a wrong one.

    A transaction that reads sees one state of the database.

    On PostgreSQL both share a pool of `connections` and as many more in need, and a statement
    waits `patience` seconds for a lock. On SQLite a commit that is not `durable` does not wait
    for the disk.
    """
    options: dict[str, Any] = {
        "hide_parameters": True,  # bound values are pages and secrets: they stay out of errors
        "json_serializer": json_text,
        "json_deserializer": msgspec.json.decode,
        "pool_size": connections,
        "pool_timeout": patience,
    }
    if url.startswith("sqlite"):
        return _make_sqlite(url, options, durable=durable)
    if url.startswith(("postgresql://", "postgres://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    options |= {"execution_options": {"kept": Kept()}, "paramstyle": "format"}  # bound sooner
    engine = create_engine(url, pool_pre_ping=True, max_overflow=connections, **options)
    from landyard.storage import postgres  # the driver is an extra

    postgres.prepare(engine, patience)
    return engine, engine.execution_options(begin=_POSTGRES_READ)


def is_busy(error: Exception) -> bool:
    """Tell whether others were in the way: the same work may succeed when it is run again."""
    return _code(error) in _BUSY


def names_what_is_gone(error: Exception) -> bool:
    """Tell whether a row was written that names one which somebody has removed meanwhile."""
    return _code(error) == _GONE


def is_read_only(error: Exception) -> bool:
    """Tell whether a statement failed because it writes in a transaction that only reads."""
    return _code(error) in _READ_ONLY


@contextmanager
def told_to_callers() -> Iterator[None]:
    """Raise `Busy`, or `Unavailable` where the database was not reached, or was lost."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        if is_busy(error):
            raise Busy from error
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        if lost or (isinstance(error, _OPERATIONAL) and _code(error) in _AWAY):
            raise Unavailable from error
        raise


def _code(error: BaseException) -> int | str | None:
    driver = error.orig if isinstance(error, DBAPIError) else error
    return getattr(driver, "sqlite_errorcode", 0) & 0xFF or getattr(driver, "sqlstate", None)


def _make_sqlite(url: str, options: dict[str, Any], *, durable: bool) -> tuple[Engine, Engine]:
    """Make two unbounded pools: threads are bounded, and one that hangs keeps its connection."""
    file = Path(make_url(url).database or "")
    if not file.name:
        raise ArgumentError("an SQLite database needs a file")
    options["max_overflow"] = -1
    synchronous = f"synchronous={'FULL' if durable else 'OFF'}"
    opened: set[int] = set()  # the files that were at this path

    def engine(begin: str, *pragmas: str) -> Engine:
        looked, pause = 0.0, 0.0 if durable and "IMMEDIATE" in begin else _SQLITE_LOOK

        def connect(_dialect: Any, _record: Any, arguments: Any, options: Any) -> None:
            # An empty one in the place of one that has gone would take what is written next.
            if (not opened or (not durable and file.parent.exists())) and not file.exists():
                # Only when a command connects: a command that reads no data leaves no empty
                # folder. Only the owner may open the new folder and file. SQLite gives `-wal` the
                # same rights.
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                file.touch(mode=0o600)
            arguments[0], options["uri"] = f"{file.absolute().as_uri()}?mode=rw", True

        def prepare(connection: Any, record: Any) -> None:
            record.info["file"] = _number(file)
            # The driver's own transaction handling begins too late and only before writes.
            connection.isolation_level = None
            for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=FAST", *pragmas):
                connection.execute(f"PRAGMA {pragma}").close()
            folding.add_to_sqlite(connection)
            opened.add(record.info["file"])

        def do_begin(connection: Any) -> None:
            nonlocal looked
            if (now := time.monotonic()) > looked + pause:
                looked = now
                if connection.info["file"] != _number(file):  # it would be written all the same
                    raise sqlite3.ProgrammingError(_CLOSED)
            _begin(connection.driver_connection, begin, now + _SQLITE_WRITE_WAIT)

        options["execution_options"] = {"kept": Kept()}
        made = create_engine(url, connect_args={"timeout": _SQLITE_WAIT}, **options)
        event.listen(made, "do_connect", connect)
        event.listen(made, "connect", prepare)
        # Listeners to `begin` take ten microseconds.
        made.dialect.do_begin = do_begin  # type: ignore[method-assign,assignment]
        return made

    return (
        engine("BEGIN IMMEDIATE", synchronous, _SQLITE_UNDO, _SQLITE_LOG, _SQLITE_POLL),
        engine("BEGIN", "query_only=ON"),
    )


def _begin(connection: Any, statement: str, give_up: float) -> object:
    while True:
        try:
            return connection.execute(statement).close()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > give_up:
                raise
            time.sleep(_POLL)


def _number(file: Path) -> int:
    """Return the file's number, which a file in its place does not share; 0 without a file."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0
