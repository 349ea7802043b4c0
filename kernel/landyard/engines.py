"""Engines: how each kind of database is connected to, and what its connections refuse."""

import gc
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError

IDLE = 60
"""Seconds that PostgreSQL lets a transaction of ours do nothing: more than a call may take."""

_STATEMENT = 0.1  # seconds that another thread's statement has to end by itself
_ATTEMPTS = 100
_ROWS = "landyard_rows"  # how a server's connection makes rows, in its pool record's `info`
_READING = frozenset(  # the pragmas that SQLAlchemy looks at tables with
    ("foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_xinfo")
)
_ALTERING = frozenset(
    (
        *(sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_CREATE_TEMP_INDEX),
        *(sqlite3.SQLITE_CREATE_TEMP_TABLE, sqlite3.SQLITE_CREATE_TEMP_TRIGGER),
        sqlite3.SQLITE_CREATE_TEMP_VIEW,
    )
)


class Driver(sqlite3.Connection):
    """A connection to SQLite that two threads can end at the same moment.

    `guard` is held by who uses it from another thread than its own: one that is closed meanwhile
    would take the process down. One that is `lent` to handlers is none that the pool may have.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        """Connect as `sqlite3` does."""
        super().__init__(*given, **named)
        self.guard = threading.Lock()
        self.closed = False
        self.lent = False
        self._altered = False

    def note_alterations(self) -> None:
        """Note from here on what outlasts a transaction: pragmas, attached files, temporary tables.

        SQLite tells of them when it prepares a statement, so what is run often costs nothing.
        """
        self.set_authorizer(self._note)

    @property
    def altered(self) -> bool:
        """Whether it is no more as it was made: the next one to use it would be surprised."""
        usual = self.row_factory is None and self.text_factory is str
        return self._altered or not usual or self.isolation_level is not None

    def close(self) -> None:
        """End what is open, too: else it stays so, and its locks, for as long as its cursors."""
        with self.guard:
            if self.closed:
                return
            if not self._rolled_back():
                # Interrupted is also what is begun while a result is half read.
                for each in gc.get_referrers(self):
                    if isinstance(each, sqlite3.Cursor):
                        each.close()
                self._rolled_back()
            super().close()
            self.closed = True

    def take_away(self) -> None:
        """Undo what another thread has open here, and let it write no more.

        It is not closed: the other thread may be inside of it. Raises `TimeoutError` when the other
        does not end its statement.
        """
        with self.guard:
            if self.closed:
                return
            # Not at once: while a result is half read, what is begun after it is interrupted too.
            interrupt = threading.Timer(_STATEMENT, self.interrupt)
            interrupt.start()
            try:
                for _ in range(_ATTEMPTS):
                    if self._is_taken():
                        return
                    time.sleep(0.01)
            finally:
                interrupt.cancel()
                interrupt.join()
        raise TimeoutError("the connection is still busy")

    def _note(self, action: int, name: str | None, *_: str | None) -> int:
        if action in _ALTERING or (action == sqlite3.SQLITE_PRAGMA and name not in _READING):
            self._altered = True
        return sqlite3.SQLITE_OK

    def _is_taken(self) -> bool:
        self.row_factory = None
        try:
            self.execute("PRAGMA query_only=ON").close()
            if self.execute("PRAGMA query_only").fetchone() != (1,):
                return False
            if self.in_transaction:
                self.execute("ROLLBACK").close()
        except (sqlite3.Error, SystemError):
            # SQLite serves two threads in turn, but `sqlite3` may tell one how the other's
            # statement went, or that there is no error to tell of. What the connection says of
            # itself counts.
            return False
        return not self.in_transaction

    def _rolled_back(self) -> bool:
        try:
            self.rollback()
        except sqlite3.Error:
            return False
        return not self.in_transaction


class LentConnection(Connection):
    """A connection that handlers are given: while it is `lent` they cannot end its transaction.

    `writes` is what the transaction is begun for.
    """

    def __init__(self, engine: Engine, *, writes: bool) -> None:
        """Connect, for a handler that `writes` or one that only reads."""
        self.writes = writes
        self.lent = False
        super().__init__(engine)

    def begin_and_lend(self) -> None:
        """Begin the transaction; from here on it is a handler's, until `lent` is taken back."""
        try:
            self.begin()
        except BaseException:
            self.close()
            raise
        self.lent = True

    # Not so `invalidate`: SQLAlchemy itself does that to a connection that a server has dropped.

    def commit(self) -> None:
        """Commit, unless it is lent."""
        _refuse_while_lent(self)
        super().commit()

    def rollback(self) -> None:
        """Roll back, unless it is lent."""
        _refuse_while_lent(self)
        super().rollback()

    def close(self) -> None:
        """Give it back to the pool, unless it is lent."""
        _refuse_while_lent(self)
        super().close()

    def detach(self) -> None:
        """Take it from the pool for good, unless it is lent."""
        _refuse_while_lent(self)
        super().detach()


def make_engine(url: str, connections: int, busy_timeout: float, *, durable: bool = True) -> Engine:
    """Make the engine of a URL; raises `ArgumentError` for one that cannot be used.

    `connections` are kept and more are made when they are needed, as many again where a server
    counts them; `busy_timeout` is in seconds, for SQLite, and so is `durable`.
    """
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
        event.listen(engine, "connect", _never_idle_in_transaction)
        event.listen(engine, "connect", _note_rows)
        event.listen(engine, "checkin", _keep_other_rows_out)
        event.listen(engine, "handle_error", _drop_details)
        return _guarded(engine)
    if not make_url(url).database:
        raise ArgumentError("an SQLite database needs a file")
    # Threads whose handlers hang keep their connections; those who take their place need others.
    options["max_overflow"] = 8 * connections
    arguments = {"timeout": busy_timeout, "factory": Driver}
    engine = create_engine(url, connect_args=arguments, **options)
    event.listen(engine, "do_connect", _make_folder)
    event.listen(engine, "connect", _prepare_sqlite)
    if not durable:
        event.listen(engine, "connect", _never_wait_for_disk)
    event.listen(engine, "connect", _note_alterations)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "checkin", _keep_out)
    event.listen(engine, "checkout", _hand_out_open)
    return _guarded(engine)


def _guarded(engine: Engine) -> Engine:
    """Refuse the ends of a lent connection's transaction that do not go through the connection."""
    event.listen(engine, "commit", _refuse_while_lent)
    event.listen(engine, "rollback", _refuse_while_lent)
    return engine


def _refuse_while_lent(connection: Connection) -> None:
    if isinstance(connection, LentConnection) and connection.lent:
        raise RuntimeError("a handler must not end its transaction: it commits when it returns")


def _note_alterations(driver: Driver, _: Any) -> None:
    driver.note_alterations()


def _keep_out(driver: Driver | None, record: Any) -> None:
    # What is lent a handler has given back past the connection: others write on it.
    if driver is not None and (driver.lent or driver.altered):
        record.invalidate()


def _hand_out_open(driver: Driver, _record: Any, _fairy: Any) -> None:
    if driver.closed:
        raise DisconnectionError("it was closed past the pool")


def _never_idle_in_transaction(connection: Any, _: Any) -> None:
    # The server ends what a handler that hangs has open: its locks would stay. As a statement, for
    # a pooler in between takes no options of a session's start.
    connection.autocommit = True
    connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE}s'")
    connection.autocommit = False


def _note_rows(connection: Any, record: Any) -> None:
    record.info[_ROWS] = connection.row_factory


def _keep_other_rows_out(connection: Any, record: Any) -> None:
    if connection is not None and connection.row_factory is not record.info[_ROWS]:
        record.invalidate()


def _drop_details(context: Any) -> None:
    """Keep the first line of a server's error: the lines below it quote the row's values."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args and isinstance(error.args[0], str):
            error.args = (error.args[0].partition("\n")[0], *error.args[1:])


def _make_folder(_dialect: Any, _record: Any, arguments: list[Any], _options: Any) -> None:
    # Only when a command connects: one that reads no data leaves no empty folder behind.
    # What is in it is nobody else's business on this machine.
    Path(arguments[0]).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver's own transaction handling begins too late and only before writes: take over.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _never_wait_for_disk(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA synchronous=OFF").close()


def _begin_sqlite(connection: Any) -> None:
    if not isinstance(connection, LentConnection) or connection.writes:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # It waits for nobody and cannot fail: past SQLAlchemy, whose care costs more than it.
        connection.connection.execute("BEGIN").close()
