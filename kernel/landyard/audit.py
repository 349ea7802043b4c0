"""The audit: one row for each call of a method that writes, whatever became of it."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import structlog
from msgspec import Meta, Struct, structs
from sqlalchemy import BigInteger, Connection, Integer, bindparam, delete, func, insert, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Field, SQLModel

from landyard.store import Moment, Store

if TYPE_CHECKING:
    from landyard.app import Kernel

log = structlog.get_logger()

MOST_PENDING = 10_000
_AT_ONCE = 5_000  # rows removed in one transaction: those who write meanwhile wait for no more

OK = "ok"
"""The outcome of a call that did its work; of others it is the error's code."""


class AuditSettings(Struct, frozen=True):
    """How long rows are kept, and how many at most; 0 is for ever. The section `[audit]`."""

    days: Annotated[float, Meta(ge=0, le=36_500)] = 180.0
    rows: Annotated[int, Meta(ge=0)] = 1_000_000


# At a thousand calls a second what 31 bits can count is over in a month.
_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class AuditRow(SQLModel, table=True):
    """Who did what to what, when, from where, and what came of it; nothing that was sent."""

    __tablename__ = "landyard_audit"

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    at: datetime = Field(sa_type=Moment)
    user_id: int = Field(sa_type=BigInteger)
    credential: str
    address: str = ""
    method: str
    plugin: str
    version: str
    subject: str = ""
    outcome: str
    seconds: float
    request_id: str = ""


class Entry(Struct, frozen=True):
    """A row to be: `subject` is what the method was about, such as `page:10`; see `AuditRow`."""

    at: datetime
    user_id: int
    credential: str
    address: str
    method: str
    plugin: str
    version: str
    subject: str
    outcome: str
    seconds: float
    request_id: str


_ROW = AuditRow.__table__.c  # type: ignore[attr-defined]
_ADD = insert(_ROW.id.table)
_NEWEST = select(func.max(_ROW.id))
_OLDEST_KEPT = select(_ROW.id).where(_ROW.at >= bindparam("before")).order_by(_ROW.id).limit(1)
_OLDEST = select(_ROW.id).where(_ROW.id < bindparam("kept")).order_by(_ROW.id).limit(_AT_ONCE)
_REMOVE = delete(_ROW.id.table).where(_ROW.id.in_(bindparam("ids", expanding=True)))


class Audit:
    """Takes rows: in the call's own transaction where it is kept, later where it failed."""

    def __init__(self) -> None:
        """Start with nothing pending."""
        self._pending: deque[Entry] = deque()
        self._lost = 0
        self._flushing = threading.Lock()

    def keep(self, connection: Connection, entry: Entry) -> None:
        """Write the row of a call that did its work, with what it wrote."""
        connection.execute(_ADD, structs.asdict(entry))

    def note(self, entry: Entry) -> None:
        """Remember the row of a call that failed, whose transaction leaves nothing behind."""
        if len(self._pending) < MOST_PENDING:
            self._pending.append(entry)
        else:
            self._lost += 1

    def flush(self, store: Store) -> None:
        """Write what is pending."""
        with self._flushing:
            self._flush(store)

    def _flush(self, store: Store) -> None:
        if self._lost:
            log.warning("audit_rows_lost", rows=self._lost)
            self._lost = 0
        taken = [self._pending.popleft() for _ in range(len(self._pending))]
        if not taken:
            return
        try:
            _write(store, taken)
        except (DataError, IntegrityError, OverflowError):
            _write_what_can_be(store, taken)
        except BaseException:
            self._pending.extendleft(reversed(taken))
            raise


def _write(store: Store, entries: Iterable[Entry]) -> None:
    rows = [structs.asdict(entry) for entry in entries]
    store.run(lambda unit: unit.connection.execute(_ADD, rows), writes=True)


def _write_what_can_be(store: Store, entries: Iterable[Entry]) -> None:
    """Write each by itself: one that no row can hold must not keep the others out."""
    for entry in entries:
        try:
            _write(store, [entry])
        except (DataError, IntegrityError, OverflowError) as error:
            log.warning("audit_rows_lost", rows=1, error=type(error).__name__)


def remove_old(kernel: "Kernel") -> None:
    """Remove rows that are too old or too many; the work of the job `landyard.audit`."""
    settings = kernel.section(AuditSettings)
    kept = kernel.store.run(
        lambda unit: _first_kept(unit.connection, settings, kernel.now), writes=False
    )
    while kernel.store.run(lambda unit: _remove_some(unit.connection, kept), writes=True):
        pass


def _first_kept(
    connection: Connection, settings: AuditSettings, now: Callable[[], datetime]
) -> int:
    """Say which is the oldest row to be kept: ids are in the order of time."""
    newest = connection.execute(_NEWEST).scalar() or 0
    kept = newest - settings.rows + 1 if settings.rows else 0
    if settings.days:
        before = now() - timedelta(days=settings.days)
        young = connection.execute(_OLDEST_KEPT, {"before": before}).scalar()
        kept = max(kept, newest + 1 if young is None else young)
    return kept


def _remove_some(connection: Connection, kept: int) -> bool:
    ids = list(connection.execute(_OLDEST, {"kept": kept}).scalars())
    if ids:
        connection.execute(_REMOVE, {"ids": ids})
    return len(ids) == _AT_ONCE
