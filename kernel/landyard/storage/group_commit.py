"""Group commit: the writing calls of one process take turns on SQLite, and commit together.

A commit waits for the disk, and on SQLite every other writer waits with it. So a call that finds
others waiting hands the open transaction on to the next and waits. The last call of the group
commits for all. Each call has a savepoint, so a call that fails undoes no other call. No call
is answered before its writes are on disk. A call that runs again has a transaction alone: an error
of that transaction is the call's own.

The commit stands only if no caller of the group was told that the time is up. Else nothing of the
group is committed, and the calls that still have time run again.
"""

import itertools
import sqlite3
import threading
import time
from typing import NoReturn

import structlog
from msgspec import Struct
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from landyard.core.errors import Busy, DeadlineExceeded
from landyard.core.timing import NO_DEADLINE, Deadline
from landyard.storage.engines import LentConnection, is_busy

log = structlog.get_logger()

MOST = 16  # calls that commit together
_LOOK = 0.1  # seconds until a waiting call notices `stop_waiting`


class Again(Exception):
    """The call's writes are not on disk, maybe by another call's fault: run the call alone."""


class WriteLock(Struct, frozen=True):
    """Which call of this process has the lock to write, and who waits; moments are monotonic.

    `holder` is the label of the call whose handler has it, "" for none; `held_since` is when it
    got it. `waiting_since` is when the call began to wait that waits longest. `busy_since` is when
    a write failed as `Busy`, as long as none has worked since.
    """

    holder: str = ""
    held_since: float | None = None
    waiting_since: float | None = None
    busy_since: float | None = None


class Turn(Struct, frozen=True):
    """A call's turn to write: its `number`, which no other turn of the process has, and its label.

    `since` is when the call got it, monotonic. Between two turns the number is 0.
    """

    number: int = 0
    label: str = ""
    since: float | None = None


_NO_TURN = Turn()


class GroupCommit:
    """The queue of writers: `enter` gives a call its turn, `leave` ends it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._in_use = threading.Lock()  # held by the one call that uses the connection
        self._lock = threading.Lock()  # guards the next three
        self._waiting: dict[object, float] = {}  # since when, longest first
        self._group: Group | None = None
        self._stopping = False
        self._numbers = itertools.count(1)
        self.turn = _NO_TURN

    def enter(self, label: str, give_up: float, *, alone: bool) -> "Group":
        """Wait for the turn, and join the open transaction or begin one.

        A call that is to be `alone` first commits the open transaction, and no later call joins
        the new one. Raises `Busy` when it is the moment `give_up` and others still have the turn,
        or the database's lock.
        """
        call = object()
        with self._lock:
            self._waiting[call] = time.monotonic()
        self._take_turn(call, give_up)
        try:
            group = self._join(give_up, alone=alone)
        except BaseException:
            self._in_use.release()
            raise
        finally:
            with self._lock:
                del self._waiting[call]
        self.turn = Turn(next(self._numbers), label, time.monotonic())
        return group

    def leave(self, group: "Group", deadline: Deadline, *, failed: bool) -> None:
        """Keep what the call wrote, or take it back; return when it is on disk.

        Raises `DeadlineExceeded` when its caller was told that the time is up. When it did not get
        there for another reason, that error, or `Again` if the call was not alone.
        """
        self.turn = _NO_TURN
        group.end_savepoint(failed=failed)
        group.size += 1
        if not failed:
            group.deadlines.append(deadline)
        if not self._hand_on(group):
            try:
                self._finish(group)
            finally:
                self._in_use.release()
        if not failed:
            group.finished.wait()
            if not group.committed:
                group.refuse(deadline)

    def stop_waiting(self) -> None:
        """Let calls wait no more, now and later: they raise `Busy`.

        Those that wait for a commit do not get it, unless it is under way.
        """
        with self._lock:
            self._stopping = True
            if self._group is not None:
                self._group.error = self._group.error or Busy()
                self._group.finished.set()

    def lock(self, busy_since: float | None) -> WriteLock:
        with self._lock:
            waiting_since = next(iter(self._waiting.values()), None)
            return WriteLock(self.turn.label, self.turn.since, waiting_since, busy_since)

    def _take_turn(self, call: object, give_up: float) -> None:
        taken = self._in_use.acquire(blocking=False)
        while not (taken or self._stopping) and (left := give_up - time.monotonic()) > 0:
            taken = self._in_use.acquire(timeout=min(left, _LOOK))
        if taken:
            return
        with self._lock:
            # A group may have been handed on to this call just now: then nobody else ends it.
            if not self._in_use.acquire(blocking=False):
                del self._waiting[call]
                raise Busy

    def _join(self, give_up: float, *, alone: bool) -> "Group":
        group = self._group
        if group is not None and (alone or group.error is not None):
            self._finish(group)
            group = None
        if group is None:
            group = Group(self._begin_before(give_up), alone=alone)
            with self._lock:
                self._group = group
        try:
            group.execute("SAVEPOINT call")
        except sqlite3.Error as error:
            group.error = error
            self._finish(group)
            group.refuse(NO_DEADLINE)
        return group

    def _begin_before(self, give_up: float) -> LentConnection:
        """Begin; another process, or a connection of a plugin's own, may have the lock."""
        while True:
            try:
                return LentConnection(self._engine)
            except OperationalError as error:
                if not is_busy(error):
                    raise
                if self._stopping or time.monotonic() >= give_up:
                    raise Busy from error

    def _hand_on(self, group: "Group") -> bool:
        with self._lock:
            has_room = group.error is None and not group.alone and group.size < MOST
            if handed_on := has_room and bool(self._waiting):
                self._in_use.release()
        return handed_on

    def _finish(self, group: "Group") -> None:
        """Commit, or give up, what the calls of a group wrote, and let them know."""
        with self._lock:
            self._group = None  # from here on `stop_waiting` changes nothing
        try:
            group.end()
        finally:
            group.finished.set()


class Group:
    """Calls that share a transaction, or the one that is `alone` in it."""

    def __init__(self, connection: LentConnection, *, alone: bool) -> None:
        self.connection = connection
        self.size = 0
        self.deadlines: list[Deadline] = []  # of the calls that want the commit
        self.error: Exception | None = None
        self.finished = threading.Event()
        self.committed = False
        self.alone = alone
        self._driver = connection.connection.driver_connection

    def execute(self, statement: str) -> None:
        """Run a statement past SQLAlchemy, whose care costs more than these statements."""
        self._driver.execute(statement).close()  # type: ignore[union-attr]

    def end_savepoint(self, *, failed: bool) -> None:
        """Keep or undo what one call wrote; an error here gives the whole group up."""
        try:
            if failed:
                self.execute("ROLLBACK TO call")
            self.execute("RELEASE call")
        except sqlite3.Error as error:
            self.error = error  # SQLite itself gave the transaction up, or a handler ended it

    def end(self) -> None:
        """Commit, or roll back after an error or a deadline that has passed: `error` keeps it."""
        wanted = [] if self.error is not None else self.deadlines
        try:
            self.connection.end(wanted)
            self.committed = bool(wanted)
        except Exception as error:  # noqa: BLE001 - whatever it is, every call of the group is told
            self.error = error
            if not isinstance(error, DeadlineExceeded):
                log.error("commit_failed", calls=self.size, error=str(error))  # noqa: TRY400 - told to each

    def refuse(self, deadline: Deadline) -> NoReturn:
        """Raise the error of a call whose writes are not on disk."""
        if deadline.expired:
            raise DeadlineExceeded
        if self.alone and self.error is not None:
            raise self.error
        raise Again from self.error
