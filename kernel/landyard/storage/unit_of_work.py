"""A unit of work: one transaction, with actions to run after its commit or rollback."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import structlog
from sqlalchemy import Connection

from landyard.core.errors import OutcomeUnknown
from landyard.core.timing import Deadline
from landyard.storage.engines import LentConnection
from landyard.storage.prepared import Prepared, Write

if TYPE_CHECKING:
    from sqlmodel import Session

    from landyard.storage.group_commit import Group
    from landyard.storage.store import Store

log = structlog.get_logger()

Action = Callable[[], object]


class UnitOfWork:
    """One transaction that begins when its connection or session is first asked for.

    It may wait for others until the monotonic moment `give_up`; 0 means that the store's patience
    counts from when it begins. What it wrote is kept only if its `deadline` can be settled.
    Whoever reads the log knows it by its `label`.

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
        self._session: Session | None = None
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
        if self._session is not None:
            self._session.flush()  # what is asked next sees what the ORM holds, as hooks do
        return self.opened

    @property
    def session(self) -> "Session":
        """A session on the same transaction, for the ORM. Its own rollback ends no more than it."""
        if self._session is None:
            from sqlmodel import Session  # slow to import, and only needed here

            self._session = Session(
                self.connection, expire_on_commit=False, join_transaction_mode="create_savepoint"
            )
        return self._session

    def write(self, writes: Sequence[Write]) -> None:
        Prepared.run_together(self.connection, writes)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Surround a part that may be undone by itself: an exception takes back what it wrote."""
        before, session, failed = len(self._actions), self._session, True
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
        """Do `action` once all of this is on disk: what cannot be taken back, a file's removal."""
        self._actions.append((True, action))

    def on_rollback(self, action: Action) -> None:
        """Do `action` if none of this is kept: it takes back what no database can, a new file."""
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
            kept = None  # what is marked as pending is looked at by a job
            raise
        finally:
            actions = [action for committed, action in self._actions if committed is kept]
            self._run(actions if kept else reversed(actions))

    def _run(self, actions: Iterable[Action]) -> None:
        for action in actions:
            try:
                action()
            except BaseException:  # what has happened to the database is told, whatever this is
                log.exception("unit_action_failed", call=self.label)

    def _end_session(self, *, failed: bool) -> None:
        session, self._session = self._session, None
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
