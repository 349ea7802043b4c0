"""SQLite's writers of one process: they take turns, and those that queue commit together.

A commit waits for the disk, and on SQLite every other writer waits with it. So a call that finds
others queueing hands the open transaction on and waits; the last of them commits for all. Each
call has a savepoint of its own, so one that fails takes no other with it, and none is answered
before what it wrote is on disk.
"""

import sqlite3
import threading
from collections.abc import Callable

import structlog
from sqlalchemy import Connection

log = structlog.get_logger()

MOST = 16  # calls that commit together


class Busy(Exception):
    """The database was too busy for a call, also when it was run again."""


class Again(Exception):
    """What the call wrote did not come to be on disk, for a `cause` that may be another call's."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class Writers:
    """The queue. `enter` gives a call its connection, `leave` ends its part."""

    def __init__(self, begin: Callable[[], Connection], patience: Callable[[], float]) -> None:
        """Open transactions with `begin`; wait `patience` seconds for a turn."""
        self._begin = begin
        self._patience = patience
        self._turn = threading.Lock()  # held by the one call that uses the connection
        self._counting = threading.Lock()
        self._waiting = 0
        self._group: _Group | None = None

    def enter(self) -> Connection:
        """Wait for the turn, and join the open transaction or begin one.

        Raises `Busy` when the turn does not come, or the database's own error.
        """
        self._take_turn()
        try:
            group = self._group or _Group(self._begin())
        except BaseException:
            self._turn.release()
            raise
        self._group = group
        try:
            _execute(group.connection, "SAVEPOINT call")
        except sqlite3.Error as error:
            group.error = error
            self._finish(group)
            raise Again(error) from error
        return group.connection

    def leave(self, *, failed: bool) -> None:
        """Keep what the call wrote, or take it back; return when it is on disk.

        Raises `Again` when it did not get there.
        """
        group = self._group
        assert group is not None
        try:
            if failed:
                _execute(group.connection, "ROLLBACK TO call")
            _execute(group.connection, "RELEASE call")
        except sqlite3.Error as error:
            group.error = error  # SQLite itself gave the whole transaction up
        if not group.connection.in_transaction():
            group.error = group.error or RuntimeError("a handler ended its transaction")
        group.size += 1
        if not self._hand_on(group):
            self._finish(group)
        if not failed:
            group.finished.wait()
            if group.error is not None:
                raise Again(group.error)

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        taken = self._turn.acquire(timeout=self._patience())
        with self._counting:
            self._waiting -= 1
            # Whoever counted on this call has let the turn go by now, or will not.
            if not taken and not self._turn.acquire(blocking=False):
                raise Busy

    def _hand_on(self, group: "_Group") -> bool:
        """Let the next call go on with the transaction, if one is waiting to."""
        with self._counting:
            handed_on = self._waiting > 0 and group.size < MOST and group.error is None
            if handed_on:
                self._turn.release()
        return handed_on

    def _finish(self, group: "_Group") -> None:
        group.connection.info.clear()  # from here on it may commit
        try:
            if group.error is None:
                group.connection.commit()
        except Exception as error:  # noqa: BLE001 - whatever it is, every call of the group is told
            group.error = error
            log.error("commit_failed", calls=group.size, error=str(error))  # noqa: TRY400 - told to each
        finally:
            self._group = None
            try:
                if not group.connection.in_transaction() and group.error is not None:
                    # Whoever ended it left the driver's own transaction open.
                    group.connection.invalidate()
                group.connection.close()
            finally:
                self._turn.release()
                group.finished.set()


class _Group:
    """Calls that share a transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.size = 0
        self.error: Exception | None = None
        self.finished = threading.Event()


def _execute(connection: Connection, statement: str) -> None:
    # Past SQLAlchemy, whose care costs more than these statements.
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.execute(statement).close()
