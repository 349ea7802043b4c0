"""Runs periodic jobs of plugins; exactly one worker claims each due run in the database."""

import functools
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

import structlog
from sqlalchemy import Connection, bindparam, select, text
from sqlmodel import Field

from landyard.core.timing import CLOCKS_DIFFER
from landyard.hooks import Job
from landyard.logs import about
from landyard.serving.background import Background
from landyard.serving.served_kernel import ServedKernel
from landyard.serving.ticker import Ticker
from landyard.storage.prepared import Moment
from landyard.storage.schema import Base, table_of
from landyard.storage.store import Store

log = structlog.get_logger()

PAUSE = 10.0  # seconds between two looks of a process at what is due, on average


class JobRow(Base, table=True):
    """When a job was last begun, by whichever process."""

    __tablename__ = "landyard_job"

    name: str = Field(primary_key=True)
    begun_at: datetime = Field(sa_type=Moment)


# One statement: if several processes find a job due, the database answers exactly one of them.
_CLAIM = text(
    "INSERT INTO landyard_job (name, begun_at) VALUES (:name, :now)"
    " ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at"
    " WHERE landyard_job.begun_at <= :due OR landyard_job.begun_at > :ahead RETURNING name"
).bindparams(*(bindparam(name, type_=Moment) for name in ("now", "due", "ahead")))


Brought = tuple[str, Job]
"""A job and, before it, the plugin that brings it."""


def last_begun(connection: Connection) -> dict[str, datetime]:
    """Return when each job was last begun, in whichever process."""
    return {row.name: row.begun_at for row in connection.execute(select(table_of(JobRow)))}


def due(jobs: Iterable[Brought], store: Store, now: Callable[[], datetime]) -> Iterator[Brought]:
    """Yield the jobs that were never begun, or were begun `every` ago or earlier.

    One that was begun in the future is due: a clock was ahead then.
    """
    with store.unit(writes=False) as unit:
        begun = last_begun(unit.connection)
    for plugin, job in jobs:
        last = begun.get(job.name)
        if last is None or not now() - job.every < last <= now() + CLOCKS_DIFFER:
            yield plugin, job


def claim(job: Job, store: Store, now: datetime) -> bool:
    """Begin a job that is due in this process alone; False where another one was quicker."""
    named = {"name": job.name, "now": now, "due": now - job.every, "ahead": now + CLOCKS_DIFFER}
    return store.run(lambda unit: bool(unit.connection.execute(_CLAIM, named).first()), writes=True)


class JobRunner:
    """Does the work that is due in a serving process, behind its calls."""

    def __init__(self, kernel: ServedKernel, pause: float = PAUSE) -> None:
        """Look at what is due every `pause` seconds, give or take a half."""
        self._kernel = kernel
        self._ticker = Ticker("jobs", pause, self.run_due)
        self._background = Background()

    def start(self) -> None:
        self._kernel.process.serving = True
        for brought in list(self._kernel.lifecycle.loaded.values()):
            if hasattr(brought.keeper, "serve"):
                # In the background: one that fails or hangs must not keep others from serving.
                self._kernel.background.later(brought.plugin.name, brought.keeper.serve)
        self._ticker.start()

    def stop(self, grace: float) -> None:
        self._ticker.stop(grace)
        self._background.close(grace)

    def run_due(self) -> None:
        kernel = self._kernel
        for plugin, job in due(kernel.resolution.jobs.values(), kernel.store, kernel.now):
            self._background.later(plugin, functools.partial(self._run, plugin, job))

    def _run(self, plugin: str, job: Job) -> None:
        kernel = self._kernel
        # The plugin may have been switched off by now, and another process been quicker.
        on = job.name in kernel.resolution.jobs and not self._ticker.stopped.is_set()
        if not on or not claim(job, kernel.store, kernel.now()):
            return
        about.set({"plugin": plugin, "job": job.name})
        began = time.monotonic()
        crash: BaseException | None = None
        with kernel.process.showing(f"job {job.name}"):
            try:
                job.work(kernel)
            except BaseException as error:
                crash = error
                log.exception("job_failed", job=job.name, plugin=plugin)
                kernel.failures.note(plugin, f"job {job.name}", time.monotonic() - began, error)
        told = {"plugin": plugin, "job": job, "crash": crash, "seconds": time.monotonic() - began}
        kernel.hooks.tell(kernel.registry, "job_finished", told)
