"""The database: one transaction per call, run again when the database asks for it."""

import itertools
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from landyard.core.errors import Busy
from landyard.core.timing import NO_DEADLINE, Deadline
from landyard.storage.engines import (
    close,
    is_busy,
    is_read_only,
    make_engines,
    names_what_is_gone,
    told_to_callers,
)
from landyard.storage.group_commit import Again, GroupCommit, WriteLock
from landyard.storage.unit_of_work import UnitOfWork

if TYPE_CHECKING:
    from sqlmodel import Session

__all__ = ["Busy", "Store", "UnitOfWork", "WriteLock", "WriteRefused"]

T = TypeVar("T")

_LOOKS = 3  # times that work is run again because it names what is gone
PATIENCE = 10.0  # seconds a call waits for the database before it is told to come back later
# Who reads a dump may be slow.
_AS_LONG_AS_IT_TAKES = "SET LOCAL idle_in_transaction_session_timeout = 0"


class WriteRefused(Exception):
    """A call that only reads has tried to write; nothing is written."""


class Store:
    """A database by URL: SQLite or PostgreSQL.

    `engine` makes connections that write. `reading` makes connections that cannot write; each of
    their transactions sees one state of the database. To hear of all statements,
    listen to each of `engines`.
    """

    def __init__(
        self, url: str, *, connections: int = 5, patience: float = PATIENCE, durable: bool = True
    ) -> None:
        """Prepare to connect; a call waits up to `patience` seconds, in all, for others to end.

        What is not `durable` may be lost with the machine's power, on SQLite, and costs no wait
        for the disk.
        """
        self.patience = patience
        self.engine, self.reading = make_engines(url, connections, patience, durable=durable)
        self.sqlite = self.engine.dialect.name == "sqlite"
        # On PostgreSQL they share one pool and its events.
        self.engines = (self.engine, self.reading) if self.sqlite else (self.engine,)
        # SQLite lets waiting writers sleep and poll. Within a process they queue here instead.
        self.group_commit = GroupCommit(self.engine)  # used on SQLite only
        self._busy_since: float | None = None

    @property
    def write_lock(self) -> WriteLock:
        """Who of this process has the lock to write, and since when others wait for it.

        On PostgreSQL writers lock rows, and only `busy_since` is known.
        """
        return self.group_commit.lock(self._busy_since)

    @contextmanager
    def unit(self, *, writes: bool) -> Iterator[UnitOfWork]:
        """Surround one transaction: it commits at the end, or rolls back on an exception.

        Raises `Busy` where others have a lock, and `Unavailable` where the database is away.
        """
        with (
            told_to_callers(),
            UnitOfWork(self, NO_DEADLINE, "", 0.0, writes=writes, alone=True) as unit,
        ):
            yield unit

    @contextmanager
    def moment(self) -> Iterator[UnitOfWork]:
        """Read everything as it is at one moment, for as long as it takes."""
        with self.unit(writes=False) as unit:
            if not self.sqlite:
                unit.connection.exec_driver_sql(_AS_LONG_AS_IT_TAKES)
            yield unit

    def run(  # noqa: C901 - one loop, read from its top to its end
        self,
        work: Callable[[UnitOfWork], T],
        *,
        writes: bool,
        deadline: Deadline = NO_DEADLINE,
        label: str = "",
    ) -> T:
        """Do `work` in a transaction of its own, again when the database says so.

        Busy databases, deadlocks and serialization failures rerun the whole of `work`, which
        must have no effect outside the database. So does a row that names one which was removed
        meanwhile, a few times. `label` says what it is in the log and in
        `write_lock`. Raises `Busy` when `patience` has ended, `Unavailable` where the database is
        away, `OutcomeUnknown` where it was lost at the end, `WriteRefused` for a write of work
        that only reads, and `DeadlineExceeded`, having kept nothing, when the caller was told
        that the time is up.
        """
        alone = False
        give_up = 0.0
        for attempt in itertools.count():
            unit = UnitOfWork(self, deadline, label, give_up, writes=writes, alone=alone)
            try:
                with unit:
                    result = work(unit)
            except Again:
                alone = True
            except (Busy, PoolTimeout):
                break
            except (DBAPIError, sqlite3.OperationalError) as error:
                if not writes and is_read_only(error):
                    raise WriteRefused(f"{label or 'this'} writes, and does not say so") from None
                # It was there when the work looked: run again, it finds that it is gone.
                if not is_busy(error) and not (names_what_is_gone(error) and attempt < _LOOKS):
                    with told_to_callers():
                        raise
            else:
                if writes and unit.opened is not None:
                    self._busy_since = None
                return result
            give_up = unit.give_up or time.monotonic() + self.patience
            if time.monotonic() > give_up:
                break
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))  # noqa: S311 - jitter
        if writes:
            self._busy_since = self._busy_since or time.monotonic()
        raise Busy

    @contextmanager
    def session(self, *, writes: bool = False) -> "Iterator[Session]":
        """Surround a transaction that is not a call's: the command line, start-up, tests."""
        with self.unit(writes=writes) as unit:
            yield unit.session

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """Surround a change of the schema: one transaction in which tables can be made anew.

        SQLite would take the rows that refer to a table along when the old one is dropped.
        """
        with self.engine.connect() as connection:
            # On the driver's connection: SQLAlchemy would begin a transaction, and SQLite changes
            # `foreign_keys` outside of one only.
            driver: Any = connection.connection.driver_connection
            if self.sqlite:
                driver.execute("PRAGMA foreign_keys=OFF")
                driver.execute(f"PRAGMA busy_timeout={int(self.patience * 1000)}")
            try:
                with connection.begin():
                    if not self.sqlite:  # a large table takes its time
                        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                    yield connection
                    check = "PRAGMA foreign_key_check"
                    if self.sqlite and (broken := driver.execute(check).fetchmany(3)):
                        raise RuntimeError(f"rows refer to what is not there: {broken}")
            finally:
                connection.invalidate()  # on SQLite the next to use it would be surprised

    def close(self) -> None:
        """Close all connections."""
        for engine in self.engines:
            close(engine)
