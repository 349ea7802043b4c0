"""SQLite's writers of one process: they take turns, and those that queue commit together.

A commit waits for the disk, and on SQLite every other writer waits with it. So a call that finds
others queueing hands the open transaction on and waits; the last of them commits for all. Each
call has a savepoint of its own, so one that fails takes no other with it, and none is answered
before what it wrote is on disk. A call that is run again has a transaction alone: what goes wrong
with it then is its own doing. A plugin's call that keeps its turn is put out of it.
"""

import sqlite3
import threading
import time
from collections.abc import Callable

import structlog

from landyard.engines import Driver, LentConnection

log = structlog.get_logger()

MOST = 16  # calls that commit together
HOLD = 2.0  # seconds that a plugin's call may keep its turn while others wait
_LOOK = 0.25  # seconds between two looks of those who wait at who keeps the turn


class Busy(Exception):
    """The database was too busy for a call, also when it was run again."""


class Again(Exception):
    """What the call wrote is not on disk; the `cause` may be another's, unless it was alone."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class KeptTurn(Exception):
    """A call kept the one turn to write for too long, and was put out; nothing of it is kept."""


class Interrupted(Exception):
    """Another call of the group was interrupted half way, and the transaction given up."""


class Writers:
    """The queue. `enter` gives a call its turn, `leave` ends it."""

    def __init__(
        self,
        begin: Callable[[], LentConnection],
        patience: Callable[[], float],
        *,
        hold: float = HOLD,
        on_held: Callable[[str], None] = lambda _owner: None,
    ) -> None:
        """Open transactions with `begin`; wait `patience` seconds for a turn.

        A plugin's call that keeps its turn for `hold` seconds while others wait is put out, and
        `on_held` is told whose it was. Other processes' writers are not seen from here: one that
        nobody waits for is put out before their patience ends.
        """
        self._begin = begin
        self._patience = patience
        self._hold = hold
        self._on_held = on_held
        self._turn = threading.Lock()  # held by the one call that uses the connection
        self._counting = threading.Lock()  # guards the next three
        self._waiting = 0
        self._using: Turn | None = None
        self._group: _Group | None = None

    def enter(self, owner: str = "", *, alone: bool = False) -> "Turn":
        """Wait for the turn, and join the open transaction or begin one, for a call of `owner`.

        One that is to be `alone` commits for those before it, and nobody joins it. Raises `Busy`
        when the turn does not come, or the database's own error.
        """
        self._take_turn()
        try:
            group = self._join(alone=alone)
        except BaseException:
            self._turn.release()
            raise
        try:
            _execute(group.driver, "SAVEPOINT call")
        except sqlite3.Error as error:
            group.error = error
            self._finish_and_release(group)
            raise Again(error) from error
        turn = self._using = Turn(self, group, owner)
        return turn

    def leave(self, turn: "Turn", *, failed: bool, broken: bool = False) -> None:
        """Keep what the call wrote, or take it back; return when it is on disk.

        Raises `Again` when it did not get there, `KeptTurn` when the call was put out. What was
        interrupted half way is `broken`: the transaction is given up, and others run again.
        """
        with self._counting:
            put_out = turn.put_out
            if not put_out:
                self._using = None  # from here on nobody puts it out
        group = turn.group
        if put_out:
            group.finished.wait()  # whoever put it out may be at it still
            group.discard()
            raise KeptTurn(f"a call kept the turn to write for {self._hold:g} s or more")
        if broken:
            group.error = group.error or Interrupted()
        else:
            self._keep(group, failed=failed)
        group.size += 1
        if not self._hand_on(group):
            self._finish_and_release(group)
        if not failed:
            while not group.finished.wait(_LOOK):
                self._put_out_overdue()
            if group.error is not None:
                raise Again(group.error)

    def put_out(self, turn: "Turn") -> None:
        """Take the turn away from a call that keeps it, from another thread: nothing is kept of it.

        Its connection takes no more writes. The calls it shared the transaction with run again.
        """
        with self._counting:
            if self._using is not turn:
                return  # it has ended, or somebody was quicker
            turn.put_out = True
            self._using = self._group = None
        group = turn.group
        group.error = KeptTurn("a call of the group kept the turn to write for too long")
        try:
            group.driver.take_away()
        except Exception as error:  # noqa: BLE001 - nobody who waits is to fail of it
            log.error("turn_not_taken", plugin=turn.owner, error=str(error))  # noqa: TRY400 - told
        finally:
            self._turn.release()
            group.finished.set()
        log.warning("turn_taken", plugin=turn.owner, seconds=round(turn.held(), 1))
        try:
            self._on_held(turn.owner)
        except Exception:  # it is another's call that would fail
            log.exception("turn_untold", plugin=turn.owner)

    def overdue(self, turn: "Turn") -> bool:
        """Tell whether a plugin's call has kept its turn for too long."""
        others = self._waiting > 0 or turn.group.size > 0
        limit = self._hold if others else max(self._hold, 0.8 * self._patience())
        return bool(turn.owner) and turn.held() > limit

    def _put_out_overdue(self) -> None:
        turn = self._using
        if turn is not None and self.overdue(turn):
            self.put_out(turn)

    def _keep(self, group: "_Group", *, failed: bool) -> None:
        try:
            if failed:
                _execute(group.driver, "ROLLBACK TO call")
            _execute(group.driver, "RELEASE call")
        except sqlite3.Error as error:
            group.error = error  # SQLite itself gave the whole transaction up
        if not group.connection.in_transaction():
            group.error = group.error or RuntimeError("a handler ended its transaction")

    def _join(self, *, alone: bool) -> "_Group":
        group = self._group
        if alone and group is not None:
            self._finish(group)
            group = None
        if group is None:
            group = self._group = _Group(self._begin(), alone=alone)
        return group

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        taken = self._wait_for_turn()
        with self._counting:
            self._waiting -= 1
            # Whoever counted on this call has let the turn go by now, or will not.
            if not taken and not self._turn.acquire(blocking=False):
                raise Busy

    def _wait_for_turn(self) -> bool:
        deadline = time.monotonic() + self._patience()
        while (left := deadline - time.monotonic()) > 0:
            if self._turn.acquire(timeout=min(left, _LOOK)):
                return True
            self._put_out_overdue()
        return False

    def _hand_on(self, group: "_Group") -> bool:
        """Let the next call go on with the transaction, if one is waiting to."""
        with self._counting:
            handed_on = self._waiting > 0 and group.error is None and group.has_room()
            if handed_on:
                self._turn.release()
        return handed_on

    def _finish_and_release(self, group: "_Group") -> None:
        try:
            self._finish(group)
        finally:
            self._turn.release()

    def _finish(self, group: "_Group") -> None:
        """Commit, or give up, what the calls of a group wrote, and let them know."""
        group.take_back()  # from here on it may commit
        try:
            if group.error is None:
                group.connection.commit()
        except Exception as error:  # noqa: BLE001 - whatever it is, every call of the group is told
            group.error = error
            log.error("commit_failed", calls=group.size, error=str(error))  # noqa: TRY400 - told to each
        finally:
            self._group = None
            try:
                if group.error is None:
                    group.connection.close()
                else:
                    group.discard()
            finally:
                group.finished.set()


class Turn:
    """One call's use of the connection, and `owner` the plugin it is of."""

    __slots__ = ("_since", "_writers", "group", "owner", "put_out")

    def __init__(self, writers: Writers, group: "_Group", owner: str) -> None:
        """Begin now."""
        self._writers = writers
        self._since = time.monotonic()
        self.group = group
        self.owner = owner
        self.put_out = False

    @property
    def connection(self) -> LentConnection:
        """The connection, for as long as the turn lasts."""
        return self.group.connection

    def held(self) -> float:
        """Say for how many seconds the call has it."""
        return time.monotonic() - self._since

    def look(self, *, over: bool) -> None:
        """Take it away from a call that keeps it for too long, or is `over` its time limit."""
        if over or self._writers.overdue(self):
            self._writers.put_out(self)


class _Group:
    """Calls that share a transaction, or the one that is `alone` in it."""

    def __init__(self, connection: LentConnection, *, alone: bool) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, Driver)
        self.connection = connection
        self.driver = driver
        self.driver.lent = True
        self.alone = alone
        self._options = connection.get_execution_options()
        self.size = 0
        self.error: Exception | None = None
        self.finished = threading.Event()

    def has_room(self) -> bool:
        """Tell whether another call may join, and would find the connection as it was made."""
        usual = self.connection.get_execution_options() is self._options
        return usual and not (self.alone or self.driver.altered or self.size >= MOST)

    def take_back(self) -> None:
        """Take the connection back from those it was lent to."""
        self.connection.lent = self.driver.lent = False

    def discard(self) -> None:
        """Let go of the connection, which nobody is to use again."""
        discard(self.connection)
        self.driver.close()  # SQLAlchemy may have been interrupted when it was about to


def discard(connection: LentConnection) -> None:
    """Close a connection that nobody is to use again; it may be half way through something."""
    connection.lent = False
    for step in (connection.invalidate, connection.close):
        try:
            step()
        except Exception as error:  # noqa: BLE001 - what is left of it is not looked at again
            log.warning("connection_discarded", error=type(error).__name__)


def _execute(driver: sqlite3.Connection, statement: str) -> None:
    # Past SQLAlchemy, whose care costs more than these statements.
    driver.execute(statement).close()
