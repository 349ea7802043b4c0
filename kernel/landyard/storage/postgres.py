"""Connects to PostgreSQL, and limits how long a server that does not respond is waited for."""

import functools
import time
from collections.abc import Callable, Generator, Mapping
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection as SqlConnection
from sqlalchemy import Engine, event

from landyard.storage.driver_errors import keep_first_line, raise_wrapped

IDLE = 60
"""Seconds that PostgreSQL gives a statement, and lets an open transaction do nothing.

More than a call may take.
"""

_CONNECT = 2  # seconds for each address of the server
_SILENT = 3.0  # seconds without an answer, then another connection is tried
_AGAIN = 1.0  # seconds until a server is tried again that could not be reached
# The URL's own come first. A machine that is gone, or a way to it: noticed within 11 seconds.
_LIMITS: Mapping[str, Any] = {
    "connect_timeout": _CONNECT,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
# Long values are packed in a fraction of the time where the server has been built with it.
_PACKING = """SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)"""


def prepare(engine: Engine, patience: float) -> None:
    """Have an engine connect as is said here; a statement waits `patience` seconds for a lock."""
    # As statements, for a pooler in between takes no options at a session's start. The server ends
    # what a handler that hangs has open: its locks would stay.
    settings = f"""SET idle_in_transaction_session_timeout = '{IDLE}s';
        SET statement_timeout = '{IDLE}s';
        SET lock_timeout = '{int(patience * 1000)}ms'; {_PACKING}"""

    def set_limits(connection: Any, _record: Any) -> None:
        connection.autocommit = True  # and so it stays: transactions are begun by `_begin`
        connection.execute(settings)

    event.listen(engine, "do_connect", _Server().connect)
    event.listen(engine, "connect", set_limits)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "handle_error", _drop_details)


class Connection(psycopg.Connection[Any]):
    """A connection that ends where its server says nothing, and cannot be connected to either.

    A server that stands still, or one behind a proxy, keeps the TCP connection alive. A statement
    that merely takes long goes on: the server takes further connections meanwhile.
    """

    ask: Callable[[], "psycopg.Connection[Any]"]
    only_reads = False  # in the present transaction

    def rollback(self) -> None:
        """Roll back; a transaction that only reads commits, and keeps the prepared statements.

        The driver drops them all at a rollback, in case that they use what is rolled back.
        """
        if self.only_reads and self.info.transaction_status == TransactionStatus.INTRANS:
            self.commit()
        else:
            super().rollback()

    def wait(self, gen: Any, *args: Any, **more: Any) -> Any:
        return super().wait(self._watched(gen), *args, **more)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        since, ready = 0.0, None  # the driver looks up ten times a second
        try:
            while True:
                ready = yield gen.send(ready)
                if ready:
                    since = 0.0
                elif not since:
                    since = time.monotonic()
                elif time.monotonic() - since > _SILENT:
                    self._need_server()
                    since = 0.0
        except StopIteration as done:
            return done.value

    def _need_server(self) -> None:
        try:
            self.ask().close()
        except psycopg.errors.ConnectionTimeout:
            self.close()
            raise psycopg.OperationalError("the server has ceased to answer") from None
        except psycopg.OperationalError:
            return  # it answers: it has enough connections


class _Server:
    """The server of an engine: one that was not reached is left alone for a second.

    Each call would wait for the same, and hold a thread that others could use.
    """

    def __init__(self) -> None:
        self._error = ""
        self._next = 0.0  # when it may be tried again

    def connect(
        self, _dialect: Any, _record: Any, arguments: list[Any], options: dict[str, Any]
    ) -> Connection:
        now = time.monotonic()
        if self._error:
            if now < self._next:
                raise psycopg.OperationalError(self._error)
            self._next = now + _CONNECT + _AGAIN  # this one tries, for all of them
        options = {**_LIMITS, **options}
        if options.get("prepare") == "off":  # any other value is the driver's to refuse
            del options["prepare"]
            options["prepare_threshold"] = None
        try:
            made = Connection.connect(*arguments, **options)
        except psycopg.OperationalError as error:
            self._error, self._next = str(error), time.monotonic() + _AGAIN
            raise
        self._error = ""
        made.ask = functools.partial(psycopg.connect, *arguments, **options)
        return made


def _begin(connection: SqlConnection) -> None:
    """Begin at once: where the server has dropped the connection, nothing is lost yet."""
    options = connection.get_execution_options()
    if options.get("isolation_level") == "AUTOCOMMIT":
        return
    driver: Any = connection.connection.driver_connection
    try:
        if not driver.autocommit:  # SQLAlchemy has taken back an isolation level
            driver.autocommit = True
        driver.execute(options.get("begin", "BEGIN"), prepare=False)
        driver.only_reads = "begin" in options
    except psycopg.Error as error:
        raise_wrapped(connection, error)


def _drop_details(context: Any) -> None:
    keep_first_line(context.original_exception)
    keep_first_line(context.sqlalchemy_exception)
