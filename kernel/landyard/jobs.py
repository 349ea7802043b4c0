"""Jobs: work that is done every so often, by one of all workers and hosts."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from msgspec import Struct
from sqlalchemy import bindparam, select, text
from sqlmodel import Field, SQLModel

from landyard.errors import OverloadLimit
from landyard.seats import here
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
    begun = _begun(store)
    for job in jobs:
        if _is_due(job, begun, now()) and _claim(job, store, now()):
            yield job


def _begun(store: Store) -> Mapping[str, datetime]:
    with store.session() as session:
        return {row.name: row.begun_at for row in session.execute(_BEGUN)}


def _is_due(job: Job, begun: Mapping[str, datetime], now: datetime) -> bool:
    last = begun.get(job.name)
    return last is None or last <= now - job.every


def _claim(job: Job, store: Store, now: datetime) -> bool:
    named = {"name": job.name, "now": now, "due": now - job.every}
    return store.run(
        lambda unit: unit.connection.execute(_CLAIM, named).first() is not None, writes=True
    )


class Runner:
    """Does the work that is due in a serving process, behind its calls.

    Each plugin has a thread of its own for it: one that hangs holds up its own jobs alone. What
    is due again, and over the time limit of a call, is a fault.
    """

    def __init__(self, kernel: "Kernel", pause: float = PAUSE) -> None:
        """Prepare to look at what is due every `pause` seconds, give or take a half."""
        self._kernel = kernel
        self._ticker = Ticker("jobs", pause, self._run_due)
        self._running: dict[str, threading.Thread] = {}
        self._begun: dict[str, tuple[str, float]] = {}  # the job under way of a plugin, and when

    def start(self) -> None:
        """Begin to look."""
        self._ticker.start()

    def stop(self, grace: float) -> None:
        """Begin nothing more, and let the work under way finish for at most `grace` seconds."""
        deadline = time.monotonic() + grace
        self._ticker.stop(grace)
        for thread in list(self._running.values()):
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run_due(self) -> None:
        kernel = self._kernel
        begun = _begun(kernel.store)
        due: dict[str, list[Job]] = {}
        for plugin, job in kernel.lineup.jobs.values():
            if _is_due(job, begun, kernel.now()):
                due.setdefault(plugin, []).append(job)
        for plugin, jobs in due.items():
            busy = self._running.get(plugin)
            if busy is not None and busy.is_alive():
                self._hold_to_limit(plugin, jobs)
                continue
            # A daemon: work that hangs must not keep a stopped service alive.
            name = f"landyard-jobs-{plugin}"
            thread = threading.Thread(target=self._run, args=(plugin, jobs), name=name, daemon=True)
            self._running[plugin] = thread
            thread.start()

    def _hold_to_limit(self, plugin: str, due: list[Job]) -> None:
        name, since = self._begun.get(plugin, ("", 0.0))
        rules = self._kernel.rules
        if any(job.name == name for job in due) and time.monotonic() - since > rules.seconds:
            self._begun.pop(plugin, None)  # it is blamed once: it harms nobody else
            log.warning("job_overran", job=name, plugin=plugin, seconds=rules.seconds)
            reason = f"job {name} ran longer than {rules.seconds:g} s, and is due again"
            self._kernel.faults.blame(plugin, reason, rules.faults)

    def _run(self, plugin: str, jobs: list[Job]) -> None:
        kernel = self._kernel
        try:
            for job in jobs:
                # The plugin may have been switched off, or sent to rest, by the job before.
                if self._ticker.stopped or job.name not in kernel.lineup.jobs:
                    return
                kernel.faults.admit(plugin)
                try:
                    for claimed in claim_due([job], kernel.store, kernel.now):
                        self._do(plugin, claimed)
                finally:
                    kernel.faults.undecided(plugin)
        except OverloadLimit:
            log.debug("jobs_rest", plugin=plugin)
        except Exception as error:  # noqa: BLE001 - the database comes back, and so does this
            log.warning("ticker_failed", ticker="jobs", error=type(error).__name__)

    def _do(self, plugin: str, job: Job) -> None:
        kernel = self._kernel
        self._begun[plugin] = (job.name, time.monotonic())
        try:
            with kernel.watch.recorder.during(plugin) if kernel.watch else nullcontext():
                # The kernel's own are nobody's; what a plugin's does is done in its name.
                here().run("" if plugin == "kernel" else plugin, job.work, kernel)
        except BaseException as error:
            log.exception("job_failed", job=job.name, plugin=plugin)
            kernel.fences.blame(plugin, f"job {job.name}", error)
        else:
            kernel.faults.worked(plugin)
            log.debug("job_finished", job=job.name, plugin=plugin)
        finally:
            self._begun.pop(plugin, None)
