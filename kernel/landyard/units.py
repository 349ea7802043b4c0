"""A unit of work: one transaction, and what is done once it is kept or undone."""

import time
from collections.abc import Callable
from typing import Self

import structlog
from sqlalchemy import Connection
from sqlmodel import Session

from landyard.engines import LentConnection
from landyard.seats import Overrun, here
from landyard.writers import Turn, Writers, discard

log = structlog.get_logger()

ActionFailed = Callable[[str, BaseException], None]
_Action = tuple[bool, str, Callable[[], object]]  # whether when kept, whose, and what


class UnitOfWork:
    """One transaction that begins when its connection or session is first asked for.

    `since` is the monotonic moment when it was, 0 before.
    """

    __slots__ = (
        *("_actions", "_begin", "_connection", "_hit", "_on_action_failed", "_owner"),
        *("_seat", "_session", "since"),
    )

    def __init__(self, begin: Callable[[], LentConnection], on_action_failed: ActionFailed) -> None:
        """Open nothing yet: most calls that only read ask for nothing here."""
        self._begin = begin
        self._on_action_failed = on_action_failed
        self._connection: LentConnection | None = None
        self._session: Session | None = None
        self._actions: list[_Action] | None = None
        self.since = 0.0

    @property
    def begun(self) -> bool:
        """Whether the transaction has begun."""
        return self._connection is not None

    @property
    def connection(self) -> Connection:
        """The connection, for Core statements."""
        if self._connection is None:
            self.since = time.monotonic()
            self._seat = here()
            self._owner = self._seat.owner
            self._hit = self._seat.term.hit
            self._seat.aside(self._open)
            assert self._connection is not None
        return self._connection

    @property
    def session(self) -> Session:
        """A session on the same transaction, for the ORM. Its own rollback ends no more than it."""
        if self._session is None:
            self._session = Session(
                self.connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
            )
        return self._session

    def when_kept(self, action: Callable[[], object]) -> None:
        """Do `action` once all of this is on disk: what cannot be taken back, a file's removal."""
        self._add((True, here().owner, action))

    def when_undone(self, action: Callable[[], object]) -> None:
        """Do `action` if none of this is kept: it takes back what no database can, a new file."""
        self._add((False, here().owner, action))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if self._connection is None:
            if self._actions is not None:
                self._exit(failed=error is not None)
            return
        seat = self._seat
        owner, seat.owner = seat.owner, ""  # steps that nothing comes between; a call is none
        try:
            seat.aside(lambda: self._exit(failed=error is not None))
        finally:
            seat.back(owner)

    def _add(self, action: _Action) -> None:
        if self._actions is None:
            self._actions = []
        self._actions.append(action)

    def _exit(self, *, failed: bool) -> None:
        kept = False
        try:
            self._close(failed=failed)
            kept = not failed
        finally:
            actions = [each for each in self._actions or () if each[0] is kept]
            for _, owner, action in actions if kept else reversed(actions):
                self._do(owner, action)

    def _close(self, *, failed: bool) -> None:
        if self._connection is None:
            return
        if self._seat.term.hit and not self._hit:
            self._discard(self._connection)  # its insides may be half way
            if failed:
                return
            raise Overrun
        try:
            if self._session is not None:
                self._end_session(self._session, failed=failed)
            if self._owner and not failed:
                self._seat.check()
        except BaseException:
            failed = True
            raise
        finally:
            self._end(self._connection, failed=failed)

    def _open(self) -> None:
        self._connection = self._begin()

    def _end_session(self, session: Session, *, failed: bool) -> None:
        try:
            if not failed:
                session.commit()
        finally:
            session.close()

    def _end(self, connection: LentConnection, *, failed: bool) -> None:
        connection.lent = False
        sound = False
        try:
            if not failed:
                connection.commit()
            # If not, a handler tried to end it: the driver's own transaction is still open.
            sound = not failed or connection.in_transaction()
        finally:
            if sound:
                connection.close()  # what was not committed is rolled back
            else:
                discard(connection)

    def _discard(self, connection: LentConnection) -> None:
        discard(connection)

    def _do(self, owner: str, action: Callable[[], object]) -> None:
        # The database has decided by now: nothing that happens here may change the answer.
        seat = here()
        try:
            # What has to be done is done, also where the time is up.
            seat.run("" if seat.term.expired else owner, action)
        except Overrun:
            log.exception("unit_action_failed", plugin=owner)  # whoever stopped it has blamed it
        except BaseException as error:  # a plugin's SystemExit, too
            log.exception("unit_action_failed", plugin=owner)
            self._tell(owner, error)

    def _tell(self, owner: str, error: BaseException) -> None:
        try:
            self._on_action_failed(owner, error)
        except Exception:
            log.exception("unit_action_untold", plugin=owner)


class QueuedUnit(UnitOfWork):
    """A unit of a writer on SQLite: its transaction may be shared, see `landyard.writers`."""

    __slots__ = ("_alone", "_turn", "_writers")

    def __init__(self, writers: Writers, on_action_failed: ActionFailed, *, alone: bool) -> None:
        """Take part in what `writers` do together, or have a transaction `alone`."""
        self._writers = writers
        self._alone = alone
        self._on_action_failed = on_action_failed
        self._connection = self._session = self._actions = None
        self.since = 0.0

    def _open(self) -> None:
        self._turn: Turn = self._writers.enter(self._owner, alone=self._alone)
        self._seat.holding = self._turn
        self._connection = self._turn.connection

    def _end(self, connection: LentConnection, *, failed: bool) -> None:  # noqa: ARG002 - it is shared
        self._leave(failed=failed, broken=False)

    def _discard(self, connection: LentConnection) -> None:  # noqa: ARG002 - it is shared
        self._leave(failed=True, broken=True)

    def _leave(self, *, failed: bool, broken: bool) -> None:
        self._seat.holding = None
        self._writers.leave(self._turn, failed=failed, broken=broken)
