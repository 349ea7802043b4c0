"""The collector of a worker: counts calls and jobs, and samples threads and connections."""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import structlog
from sqlalchemy import Connection, QueuePool, event

from landyard import Failure, Host, Job, Method, Reply, hookimpl
from landyard_metrics.families import Key, bucket, text
from landyard_metrics.samples import Samples

EVERY = 1.0  # seconds; counts of other workers in a scrape can be this old

log = structlog.get_logger()


class Metrics:
    """The metrics of a worker, and the scrape over all workers."""

    def __init__(self, host: Host, *, token: str, is_open: bool) -> None:
        """Collect only calls at first; the rest is observed once the process serves."""
        self._host = host
        self.token = token
        self.is_open = is_open
        self._samples = Samples(host.settings.data.absolute() / "metrics.db")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="landyard-metrics", daemon=True)

    @hookimpl
    def register_routes(self) -> Iterable[object]:
        """Return the page's route, and start sampling: only a serving process asks for routes."""
        from landyard_metrics.web import page

        if self._thread.ident is None:
            for engine in self._host.store.engines:
                event.listen(engine, "before_cursor_execute", self._begin_statement)
                event.listen(engine, "after_cursor_execute", self._end_statement)
            self._thread.start()
        return [page(self)]

    @hookimpl
    def call_finished(self, method: Method | None, reply: Reply) -> None:
        """Count a call; it has an empty name if it failed before its method was found."""
        labels = (method.plugin, method.name) if method else ("", "")
        seconds = reply.time.duration
        counts = {
            bucket("landyard_call_seconds", labels, seconds): 1.0,
            ("landyard_call_seconds_sum", *labels): seconds,
        }
        if isinstance(reply, Failure):
            counts["landyard_call_errors_total", *labels, reply.error] = 1.0
        self._samples.add(counts)

    @hookimpl
    def job_finished(
        self, plugin: str, job: Job, crash: BaseException | None, seconds: float
    ) -> None:
        """Count a run of a job."""
        labels = (plugin, job.name)
        counts: dict[Key, float] = {
            ("landyard_jobs_total", *labels): 1.0,
            ("landyard_job_errors_total", *labels): float(crash is not None),
            ("landyard_job_seconds_total", *labels): seconds,
        }
        self._samples.add(counts)

    def scrape(self) -> str:
        """Return the sums over all workers, this one's up to now; raises `sqlite3.Error`."""
        self._write()
        return text(self._samples.read())

    def close(self) -> None:
        """Stop sampling; the counts stay in the file, and this worker's gauges are removed."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(EVERY)
            with suppress(sqlite3.Error, OSError):
                self._samples.write({})

    def _work(self) -> None:
        while not self._stopped.wait(EVERY):
            if self._is_on():
                self._write()

    def _is_on(self) -> bool:
        return self._host.plugins.keeps(self)

    def _write(self) -> None:
        refused: Counter[Key] = Counter()
        with suppress(IndexError):  # a scrape may empty the queue at the same time
            while True:
                code, status = self._host.process.refused.popleft()
                refused["landyard_requests_refused_total", code, str(status)] += 1
        self._samples.add(refused)
        try:
            self._samples.write(self._gauges())
        except (sqlite3.Error, OSError) as error:  # e.g. a full disk: earlier samples stay readable
            log.warning("metrics_not_written", error=type(error).__name__)

    def _gauges(self) -> dict[Key, float]:
        gauges: dict[Key, float] = {("landyard_workers",): 1.0}
        for name, load in self._host.process.pools.load().items():
            gauges["landyard_threads", name] = load.threads
            gauges["landyard_threads_busy", name] = load.busy
            gauges["landyard_queue", name] = load.waiting
        pools = [each.pool for each in self._host.store.engines]
        queues = [each for each in pools if isinstance(each, QueuePool)]
        pooled = [each.get_execution_options()["kept"] for each in self._host.store.engines]
        busy = sum(each.checkedout() for each in queues) - sum(map(len, pooled))
        gauges["landyard_database_connections_busy",] = busy
        gauges["landyard_database_connections",] = sum(
            each.checkedout() + each.checkedin() for each in queues
        )
        return gauges

    def _begin_statement(self, connection: Connection, *_: Any) -> None:
        connection.info["landyard_metrics"] = time.perf_counter()

    def _end_statement(self, connection: Connection, *_: Any) -> None:
        now = time.perf_counter()
        began = connection.info.get(
            "landyard_metrics", now
        )  # the statement may have begun before this plugin did
        counts: dict[Key, float] = {
            ("landyard_database_statements_total",): 1.0,
            ("landyard_database_seconds_total",): now - began,
        }
        self._samples.add(counts)
