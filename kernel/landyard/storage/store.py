"""The database: runs each call's work in a transaction, and again after a conflict."""

import itertools
import random
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from landyard.core.errors import Busy, OutcomeUnknown
from landyard.core.timing import NO_DEADLINE, Deadline
from landyard.storage.engines import (
    LentConnection,
    close,
    is_busy,
    is_read_only,
    make_engines,
    names_what_is_gone,
    told_to_callers,
)
from landyard.storage.group_commit import Again, Group, GroupCommit, WriteLock
from landyard.storage.prepared import Prepared, Write

__all__ = ["Busy", "Store", "UnitOfWork", "WriteLock", "WriteRefused"]

log = structlog.get_logger()
_RANDOM = random.SystemRandom()  # the shared one may be seeded by others, as tests do

T = TypeVar("T")
Action = Callable[[], object]

_LOOKS = 3  # times that work is run again because it names what is gone
PATIENCE = 10.0  # seconds a call waits for the database before it is told to come back later
# Who reads a dump may be slow.
_AS_LONG_AS_IT_TAKES = "SET LOCAL idle_in_transaction_session_timeout = 0"


class WriteRefused(Exception):
    """A call that only reads has tried to write; nothing is written."""


class UnitOfWork:
    """One transaction that begins when its connection or session is first used.

    It may wait for others until the monotonic moment `give_up`; 0 means that the store's patience
    counts from when it begins. Its writes are kept only if its `deadline` can be settled. `label`
    names it in the log. `opened` and `opened_session` are the connection and the session in use.

    On SQLite one that writes may share its transaction, see `group_commit`, unless it is `alone`.
    """

    def __init__(
        self,
        store: "Store",
        deadline: Deadline,
        label: str,
        give_up: float,
        *,
        writes: bool,
        alone: bool,
    ) -> None:
        self._engine = store.engine if writes else store.reading
        self._group_commit = store.group_commit if writes and store.sqlite else None
        self._patience = store.patience
        self._writes = writes
        self._alone = alone
        self.opened: LentConnection | None = None
        self.opened_session: Session | None = None
        self._actions: list[tuple[bool, Action]] = []  # whether when kept, and what
        self.deadline = deadline
        self.label, self.give_up = label, give_up

    @property
    def connection(self) -> Connection:
        """The connection, for Core statements."""
        if self.opened is None:
            self.give_up = self.give_up or time.monotonic() + self._patience
            if self._group_commit is None:
                self.opened = LentConnection(self._engine)
            else:
                asked = time.monotonic()
                enter = self._group_commit.enter
                self._group: Group = enter(self.label, self.give_up, alone=self._alone)
                self.deadline.in_line += time.monotonic() - asked
                self.opened = self._group.connection
        if self.opened_session is not None:
            self.opened_session.flush()  # the next statement sees what the ORM holds
        return self.opened

    @property
    def session(self) -> Session:
        """A session on the same transaction, for the ORM. Its own rollback ends no more than it."""
        if self.opened_session is None:
            self.opened_session = Session(
                self.connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
            )
        return self.opened_session

    def write(self, writes: Sequence[Write]) -> None:
        Prepared.run_together(self.connection, writes)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Surround a part that may be undone by itself: an exception takes back what it wrote."""
        before, session, failed = len(self._actions), self.opened_session, True
        try:
            with (session or self.connection).begin_nested():
                if session is not None:
                    session.connection()  # only this begins it, for who uses `connection` as well
                try:
                    yield
                    failed = False
                finally:
                    if session is None:  # one that was made in there ends with it
                        self._end_session(failed=failed)
        except BaseException:
            undone = [action for kept, action in self._actions[before:] if not kept]
            del self._actions[before:]
            self._run(reversed(undone))
            raise

    def on_commit(self, action: Action) -> None:
        """Do `action` once all of this is on disk, if it cannot be undone: a file's removal."""
        self._actions.append((True, action))

    def on_rollback(self, action: Action) -> None:
        """Do `action` if none of this is kept: it undoes what no database can, such as a file."""
        self._actions.append((False, action))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if self.opened is None and not self._actions:
            return
        kept: bool | None = False
        try:
            self._close(failed=error is not None)
            kept = error is None
        except OutcomeUnknown:
            kept = None  # a job looks at rows that are marked as pending
            raise
        finally:
            if self._actions:
                actions = [action for committed, action in self._actions if committed is kept]
                self._run(actions if kept else reversed(actions))

    def _run(self, actions: Iterable[Action]) -> None:
        for action in actions:
            try:
                action()
            except BaseException:  # the outcome in the database counts, whatever this is
                log.exception("unit_action_failed", call=self.label)

    def _end_session(self, *, failed: bool) -> None:
        session, self.opened_session = self.opened_session, None
        if session is not None:
            with session:  # which closes it
                if not failed:
                    session.commit()

    def _close(self, *, failed: bool) -> None:
        connection = self.opened
        if connection is None:
            if not failed:
                self.deadline.settle()
            return
        try:
            self._end_session(failed=failed)
        except BaseException:
            failed = True
            raise
        finally:
            if self._group_commit is not None:
                self._group_commit.leave(self._group, self.deadline, failed=failed)
            else:
                connection.end([self.deadline] if self._writes and not failed else [])


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

        On SQLite a commit that is not `durable` does not wait for the disk. A loss of the
        machine's power may undo such a commit.
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
        """The call of this process that has the lock to write, and since when others wait.

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
            time.sleep(_RANDOM.uniform(0, 0.01 * 2 ** min(attempt, 6)))
        if writes:
            self._busy_since = self._busy_since or time.monotonic()
        raise Busy

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
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
