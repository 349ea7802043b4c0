"""Jobs: work that is done every so often, by one of all workers and hosts."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from msgspec import Struct
from sqlalchemy import bindparam, select, text
from sqlmodel import Field, SQLModel

from landyard.store import Moment, Store
from landyard.ticker import Ticker

if TYPE_CHECKING:
    from landyard.app import Kernel

log = structlog.get_logger()

PAUSE = 10.0  # seconds between two looks of a process at what is due, on average


class Job(Struct, frozen=True):
    """Periodic work of a plugin: every `every`, one process of all runs `work(kernel)`.

    `name` is unique in the service, such as `landing.trash`. The work may be cut off at any
    moment and is then done again at the next turn, so it must leave nothing half done; one that
    takes longer than `every` may meet its own next turn in another process.
    """

    name: str
    every: timedelta
    work: "Callable[[Kernel], object]"


class JobRow(SQLModel, table=True):
    """When a job was last begun, by whichever process."""

    __tablename__ = "landyard_job"

    name: str = Field(primary_key=True)
    begun_at: datetime = Field(sa_type=Moment)


_ROW = JobRow.__table__.c  # type: ignore[attr-defined]
_BEGUN = select(_ROW.name, _ROW.begun_at)
# One statement, so that of all who find a job due exactly one is answered its name.
_CLAIM = text(
    "INSERT INTO landyard_job (name, begun_at) VALUES (:name, :now)"
    " ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at"
    " WHERE landyard_job.begun_at <= :due RETURNING name"
).bindparams(bindparam("now", type_=Moment), bindparam("due", type_=Moment))


def claim_due(jobs: Iterable[Job], store: Store, now: Callable[[], datetime]) -> Iterator[Job]:
    """Yield each job that is due, once this process alone may run it.

    A job is due when it was never begun, or was begun `every` ago or earlier. While none is, this
    costs one read.
    """
    with store.session() as session:
        begun = {row.name: row.begun_at for row in session.execute(_BEGUN)}
    for job in jobs:
        last = begun.get(job.name)
        if (last is None or last <= now() - job.every) and _claim(job, store, now()):
            yield job


def _claim(job: Job, store: Store, now: datetime) -> bool:
    named = {"name": job.name, "now": now, "due": now - job.every}
    return store.run(
        lambda unit: unit.connection.execute(_CLAIM, named).first() is not None, writes=True
    )


class Runner:
    """Does the work that is due in a serving process, behind its calls."""

    def __init__(self, kernel: "Kernel", pause: float = PAUSE) -> None:
        """Prepare to look at what is due every `pause` seconds, give or take a half."""
        self._kernel = kernel
        self._ticker = Ticker("jobs", pause, self._run_due)

    def start(self) -> None:
        """Begin to look."""
        self._ticker.start()

    def stop(self, grace: float) -> None:
        """Begin nothing more, and let the work under way finish for at most `grace` seconds."""
        self._ticker.stop(grace)

    def _run_due(self) -> None:
        kernel = self._kernel
        for job in claim_due(kernel.jobs, kernel.store, kernel.now):
            try:
                job.work(kernel)
            except Exception:
                log.exception("job_failed", job=job.name)
            else:
                log.debug("job_finished", job=job.name)
            if self._ticker.stopped:
                return
