"""Periodic jobs: each runs once per period, on one of all workers and hosts."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from conftest import MakeService
from kernel.sample import Brings
from kernel.serving.jobs import run_due
from kernel.supervised import until
from structlog.testing import capture_logs

from landyard import Job, Kernel, MethodGroup, Plugin, Settings, hookimpl
from landyard.plugin_host.usage import hour_of, last_hour
from landyard.serving.jobs import JobRunner, claim, due
from landyard.testing import Service
from landyard.web import create_app

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PATIENCE = 10.0


class Working(Brings):
    """A plugin's module with jobs."""

    def __init__(self, *jobs: Job) -> None:
        super().__init__(MethodGroup())
        self.jobs = jobs

    @hookimpl
    def register_jobs(self) -> Iterable[Job]:
        return self.jobs


def plugin(*jobs: Job) -> Plugin:
    return Plugin("working", Working(*jobs))


def job(work: Callable[[Kernel], object] = lambda _: None, name: str = "a", hours: int = 1) -> Job:
    return Job(name, hours * HOUR, work)


def crash(_kernel: Kernel) -> None:
    raise ZeroDivisionError


def leave(_kernel: Kernel) -> None:
    raise SystemExit(3)


def test_a_job_runs_at_first_and_then_once_per_period(make_service: MakeService) -> None:
    service = make_service([plugin(job(name="a"), job(name="b", hours=2))], now=NOW)

    done = []
    for minutes in (0, 0, 59, 60, 119, 120):
        service.now = NOW + timedelta(minutes=minutes)
        done.append(service.run_jobs())

    assert done == [["a", "b"], [], [], ["a"], [], ["a", "b"]]


def test_a_job_with_a_start_time_in_the_future_is_due(make_service: MakeService) -> None:
    service = make_service([plugin(job(name="a"))], now=NOW + 30 * 24 * HOUR)
    assert service.run_jobs() == ["a"]

    done = []
    for minutes in (0, 1, 59, 60):  # the clock is right again
        service.now = NOW + timedelta(minutes=minutes)
        done.append(service.run_jobs())

    assert done == [["a"], [], [], ["a"]]


def test_hosts_with_slightly_different_clocks_run_a_job_once(make_service: MakeService) -> None:
    service = make_service([plugin(job(name="a"))], now=NOW + timedelta(seconds=50))
    assert service.run_jobs() == ["a"]
    service.now = NOW

    assert service.run_jobs() == []


def test_a_long_job_does_not_make_others_late(make_service: MakeService) -> None:
    """A job is judged as due when its turn comes, and its period starts then."""
    services: list[Service] = []

    def slow(_kernel: Kernel) -> None:
        services[0].now = NOW + 2 * HOUR

    services.append(make_service([plugin(job(slow, "a", hours=9), job(name="b"))], now=NOW))
    services[0].run_jobs()
    services[0].now = NOW + 2.5 * HOUR

    assert services[0].run_jobs() == []


def test_of_many_processes_on_two_hosts_exactly_one_runs_a_job(make_service: MakeService) -> None:
    """Each thread stands for a worker; they know each other only through the database."""
    workers, periods = 8, 12
    hosts = [make_service([plugin(job(name="a"), job(name="b"))], now=NOW) for _ in range(2)]
    start = threading.Barrier(workers * len(hosts))
    claims: list[tuple[int, str]] = []

    def work(service: Service) -> None:
        kernel = service.kernel
        for period in range(periods):
            start.wait(PATIENCE)
            now = NOW + period * HOUR
            for _, each in due(kernel.resolution.jobs.values(), kernel.store, lambda now=now: now):  # type: ignore[misc]
                if claim(each, kernel.store, now):
                    claims.append((period, each.name))

    with ThreadPoolExecutor(workers * len(hosts)) as threads:
        for done in [threads.submit(work, host) for host in hosts for _ in range(workers)]:
            done.result()

    assert sorted(claims) == [(period, name) for period in range(periods) for name in "ab"]


def test_while_nothing_is_due_nothing_is_written(make_service: MakeService) -> None:
    service = make_service([plugin(job())], now=NOW)
    service.run_jobs()

    service.kernel.store.run = None  # type: ignore[assignment, method-assign]

    assert service.run_jobs() == []


@contextmanager
def running(service: Service, pause: float = 0.001) -> Iterator[JobRunner]:
    runner = JobRunner(service.kernel, pause)
    runner.start()
    try:
        yield runner
    finally:
        runner.stop(PATIENCE)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "landyard-jobs"]


def test_the_runner_runs_jobs_as_they_become_due(make_service: MakeService) -> None:
    done: list[datetime] = []
    service = make_service([plugin(job(lambda kernel: done.append(kernel.now())))], now=NOW)

    with running(service):
        until(lambda: done)
        service.now = NOW + HOUR
        until(lambda: len(done) > 1)

    assert done == [NOW, NOW + HOUR]


def test_a_crash_is_logged_and_the_other_jobs_run(make_service: MakeService) -> None:
    done: list[str] = []
    jobs = [job(crash, "a"), job(lambda _: done.append("b"), "b")]
    service = make_service([plugin(*jobs)], now=NOW)

    def failed(logs: list[Any]) -> list[tuple[str, str]]:
        crashes = [each for each in logs if each["event"] == "job_failed"]
        return [(each["job"], each["log_level"]) for each in crashes]

    with capture_logs() as logs, running(service):
        until(lambda: done)
        service.now = NOW + HOUR
        until(lambda: len(done) > 1 and len(failed(logs)) > 1)

    assert failed(logs) == [("a", "error")] * 2


def test_a_failure_is_counted_with_its_reason(make_service: MakeService) -> None:
    service = make_service([plugin(job(leave))], now=NOW)

    run_due(service.kernel)
    service.kernel.usage.flush(service.kernel.store)

    hour = hour_of(last_hour(service.kernel.store, NOW), "plugin:working")
    assert (hour.errors, hour.last_error) == (1, "SystemExit: 3 in job a")


def test_plugins_learn_of_a_job_and_of_its_crash(make_service: MakeService) -> None:
    messages: list[tuple[str, str, type[BaseException] | None]] = []

    class Watching:
        @hookimpl
        def job_finished(
            self, plugin: str, job: Job, crash: BaseException | None, seconds: float
        ) -> None:
            assert seconds >= 0
            messages.append((plugin, job.name, type(crash) if crash else None))

    jobs = plugin(job(name="a"), job(crash, "b"))
    service = make_service([jobs, Plugin("watching", Watching())], now=NOW)

    run_due(service.kernel)
    until(lambda: len(messages) == 2)

    assert sorted(messages) == [("working", "a", None), ("working", "b", ZeroDivisionError)]


def test_a_hanging_job_delays_only_those_of_its_plugin(make_service: MakeService) -> None:
    over, begun = threading.Event(), threading.Event()
    done: list[str] = []

    def hang(_kernel: Kernel) -> None:
        begun.set()
        over.wait(PATIENCE)

    other = Plugin("other", Working(job(lambda _: done.append("b"), "b")))
    service = make_service([plugin(job(hang)), other], now=NOW)
    with capture_logs() as logs, running(service):
        assert begun.wait(PATIENCE)
        # otherwise its first run would be the one that is due an hour later
        until(lambda: len(done) == 1)
        service.now = NOW + HOUR
        until(lambda: any(log["event"] == "background_behind" for log in logs) and len(done) == 2)
        over.set()

    logged = [log["plugin"] for log in logs if log["event"] == "background_behind"]
    assert logged == ["working"]


def test_a_thread_records_its_current_job(make_service: MakeService) -> None:
    noted: list[object] = []
    kernel = make_service(
        [plugin(job(lambda kernel: noted.append(kernel.process.scoreboard.calls())))]
    ).kernel

    run_due(kernel)

    assert [*noted, kernel.process.scoreboard.calls()] == [[("job a", "")], []]


def test_the_runner_survives_a_missing_database(tmp_path: Path) -> None:
    done: list[Any] = []
    kernel = Kernel(Settings(data=tmp_path), [plugin(job(done.append))])
    runner = JobRunner(kernel, pause=0.001)

    with capture_logs() as logs:
        runner.start()
        until(lambda: [each for each in logs if each["event"] == "ticker_failed"])
        kernel.schema.prepare(kernel.store)
        until(lambda: done)
        runner.stop(PATIENCE)
        kernel.close()

    logged = [each for each in logs if each["event"] == "ticker_failed"]
    assert {each["error"] for each in logged} == {"OperationalError"}


def test_a_stopped_runner_starts_no_more_jobs(make_service: MakeService) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def long(_kernel: Kernel) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        done.append("a")

    service = make_service([plugin(job(long, "a"), job(lambda _: done.append("b"), "b"))], now=NOW)
    with running(service) as runner:
        begun.wait(PATIENCE)
        runner.stop(grace=0.01)
        go_on.set()

    assert done == ["a"]
    assert service.run_jobs() == ["b"]


async def lifespan(app: Any, while_up: Callable[[], object]) -> None:
    """Start an application up and shut it down, as a server does."""
    told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    said: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    life = asyncio.create_task(app({"type": "lifespan", "state": {}}, told.get, said.put))
    await told.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    while_up()
    await told.put({"type": "lifespan.shutdown"})
    assert (await said.get())["type"] == "lifespan.shutdown.complete"
    await life


def test_the_runner_lives_as_long_as_the_server(make_service: MakeService) -> None:
    service = make_service([plugin(job())])
    recorded: list[list[str]] = []

    asyncio.run(lifespan(create_app(service.kernel), lambda: recorded.append(threads())))

    assert recorded == [["landyard-jobs"]]
    assert threads() == []


def test_a_service_in_a_test_runs_no_jobs_by_itself(make_service: MakeService) -> None:
    service = make_service([plugin(job())])

    service.get("/healthz")

    assert threads() == []
