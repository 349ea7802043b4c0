"""Writes audit rows in the call's transaction, or after the answer if the call failed."""

import threading
from collections import deque
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import BigInteger, Integer, bindparam, insert
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import (
    Actor,
    Call,
    CallError,
    CommandRun,
    Failure,
    Host,
    Method,
    Moment,
    Prepared,
    Request,
    UnitOfWork,
    Write,
    hookimpl,
    table_of,
)

log = structlog.get_logger()

TOGETHER = 0.5  # seconds for which rows of failed calls are gathered into one transaction
LAST = 5.0  # seconds that a closing kernel waits for those rows
MOST_PENDING = 10_000
OK = "ok"  # the outcome of a successful call; a failed one has its error's code
# Thirty-one bits would last a month at a thousand calls a second.
_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class AuditRow(Base, table=True):
    """The audit log: user, method, subject, time, address and outcome of a call.

    `subject` names the thing changed, such as `page:10`; `seconds` is the call's duration.
    """

    __tablename__ = "audit_row"

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    at: datetime = Field(sa_type=Moment)
    user_id: int = Field(sa_type=BigInteger)
    credential: str
    address: str
    method: str
    plugin: str
    version: str
    subject: str
    outcome: str
    seconds: float
    request_id: str


AUDIT_ROW = table_of(AuditRow)
_ADD = Prepared(
    insert(AUDIT_ROW).values(
        {c.name: bindparam(f"audit_{c.name}") for c in AUDIT_ROW.c if c.name != "id"}
    )
)


def write_command(unit: UnitOfWork, event: CommandRun) -> None:
    """Write the row of an operator's command, in the transaction of its change.

    `user_id` is 0: the operator is a user of the system and not of the service.
    """
    row = {
        "audit_at": event.at,
        "audit_user_id": 0,
        "audit_credential": f"operator:{event.operator}",
        "audit_address": "",
        "audit_method": event.command,
        "audit_plugin": "",
        "audit_version": "",
        "audit_subject": event.about,
        "audit_outcome": OK,
        "audit_seconds": round(event.seconds, 6),
        "audit_request_id": "",
    }
    _ADD.run_each(unit.connection, [row])


class Rows:
    """Writes a row for each call of a method that writes."""

    def __init__(self, host: Host) -> None:
        """Keep the host, for its database and its clock."""
        self._host = host
        self._pending: deque[dict[str, Any]] = deque(maxlen=MOST_PENDING)
        self._writing = threading.Lock()
        self._writer: threading.Thread | None = None
        self._closed = threading.Event()

    @hookimpl
    def before_commit(self, call: Call, method: Method, seconds: float) -> list[Write]:
        """Return the row of a successful call; it is committed with the call's own changes."""
        row = self._row(call.request, call.actor, method, OK, seconds)
        # The same time as in the call's own rows: it is converted for SQLite only once.
        return [(_ADD, {**row, "audit_at": call.now(), "audit_subject": call.subject})]

    @hookimpl
    def call_failed(  # noqa: PLR0917 - pluggy passes by name
        self,
        request: Request,
        actor: Actor | None,
        method: Method | None,
        reply: Failure,
        subject: str,
        rolled_back: bool,
    ) -> None:
        """Queue the row of a failed call; it is written shortly after, together with others.

        A dry run has no row, whatever its outcome.
        """
        if actor is None or method is None or not method.writes or rolled_back:
            return
        row = self._row(request, actor, method, reply.error, reply.time.duration)
        self._pending.append({**row, "audit_at": self._host.now(), "audit_subject": subject})
        if self._writer is None:  # this hook is called in one thread only
            self._writer = threading.Thread(target=self._work, name="landyard-audit", daemon=True)
            self._writer.start()

    def flush(self) -> None:
        """Write the rows that are pending."""
        with self._writing:
            self._write([self._pending.popleft() for _ in range(len(self._pending))])

    def close(self) -> None:
        """Write the remaining rows, and stop the thread."""
        self._closed.set()
        if self._writer is not None:
            self._writer.join(LAST)

    def _work(self) -> None:
        while not self._closed.wait(TOGETHER):
            self.flush()
        self.flush()

    def _write(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        try:
            self._host.store.run(lambda unit: _ADD.run_each(unit.connection, rows), writes=True)
        except Exception as error:  # noqa: BLE001 - these calls were answered already
            if len(rows) == 1 or isinstance(error, CallError | OperationalError):
                log.warning("audit_rows_lost", rows=len(rows), error=type(error).__name__)
                return
            for row in rows:  # one unstorable row must not keep the others out
                self._write([row])

    def _row(
        self, request: Request, actor: Actor, method: Method, outcome: str, seconds: float
    ) -> dict[str, Any]:
        return {
            "audit_user_id": actor.user_id,
            "audit_credential": actor.credential,
            "audit_address": request.address,
            "audit_method": method.name,
            "audit_plugin": method.plugin,
            "audit_version": method.version,
            "audit_outcome": outcome,
            "audit_seconds": round(seconds, 6),
            "audit_request_id": request.id,
        }
