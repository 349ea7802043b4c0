"""Jobs: done every so often, by one of all workers and hosts."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from conftest import MakeService
from kernel.sample import Brings
from kernel.test_plugins import refusal
from structlog.testing import capture_logs

from landyard import Job, Kernel, MethodGroup, Plugin, Settings, hookimpl
from landyard.jobs import Runner, claim_due
from landyard.testing import Service
from landyard.web import web_app

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PATIENCE = 10.0


class Working(Brings):
    """Brings jobs."""

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


def run(service: Service) -> list[str]:
    """Do what is due; the kernel's own jobs are not what these tests are about."""
    return [name for name in service.run_jobs() if not name.startswith("landyard.")]


def crash(_kernel: Kernel) -> None:
    raise ZeroDivisionError


def test_a_job_is_done_at_first_and_then_once_in_its_period(make_service: MakeService) -> None:
    service = make_service([plugin(job(name="a"), job(name="b", hours=2))], now=NOW)

    done = []
    for minutes in (0, 0, 59, 60, 119, 120):
        service.now = NOW + timedelta(minutes=minutes)
        done.append(run(service))

    assert done == [["a", "b"], [], [], ["a"], [], ["a", "b"]]


def test_a_job_is_given_the_kernel(make_service: MakeService) -> None:
    given: list[Kernel] = []
    service = make_service([plugin(job(given.append))])

    service.run_jobs()

    assert given == [service.kernel]


def test_a_job_that_crashes_fails_the_test_that_ran_it(make_service: MakeService) -> None:
    service = make_service([plugin(job(crash))])

    with pytest.raises(ZeroDivisionError):
        service.run_jobs()


def test_a_job_that_takes_long_does_not_make_others_late(make_service: MakeService) -> None:
    """What is due is judged when its turn comes, and its period begins then."""
    services: list[Service] = []

    def slow(_kernel: Kernel) -> None:
        services[0].now = NOW + 2 * HOUR

    services.append(make_service([plugin(job(slow, "a", hours=9), job(name="b"))], now=NOW))
    services[0].run_jobs()
    services[0].now = NOW + 2.5 * HOUR

    assert run(services[0]) == []


def test_of_many_processes_on_two_hosts_exactly_one_does_a_job(make_service: MakeService) -> None:
    """Each thread is a worker: none knows of the others but through the database."""
    workers, periods = 8, 12
    hosts = [make_service([plugin(job(name="a"), job(name="b"))], now=NOW) for _ in range(2)]
    start = threading.Barrier(workers * len(hosts))
    claims: list[tuple[int, str]] = []

    def work(service: Service) -> None:
        kernel = service.kernel
        for period in range(periods):
            start.wait(PATIENCE)
            now = NOW + period * HOUR
            for claimed in claim_due(kernel.jobs, kernel.store, lambda now=now: now):  # type: ignore[misc]
                if not claimed.name.startswith("landyard."):
                    claims.append((period, claimed.name))

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
def running(service: Service, pause: float = 0.001) -> Iterator[Runner]:
    runner = Runner(service.kernel, pause)
    runner.start()
    try:
        yield runner
    finally:
        runner.stop(PATIENCE)


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "landyard-jobs"]


def test_the_runner_does_what_comes_to_be_due(make_service: MakeService) -> None:
    done: list[datetime] = []
    service = make_service([plugin(job(lambda kernel: done.append(kernel.now())))], now=NOW)

    with running(service):
        until(lambda: done)
        service.now = NOW + HOUR
        until(lambda: len(done) > 1)

    assert done == [NOW, NOW + HOUR]


def test_a_crash_is_logged_and_the_others_are_done(make_service: MakeService) -> None:
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


def test_work_that_is_due_again_and_over_the_limit_is_blamed_once(
    make_service: MakeService,
) -> None:
    over = threading.Event()
    begun: list[int] = []

    def hang(_kernel: Kernel) -> None:
        begun.append(1)
        over.wait(PATIENCE)

    service = make_service([plugin(job(hang))], now=NOW)
    kernel = service.kernel
    kernel.rules = msgspec.structs.replace(kernel.rules, seconds=0.01)

    def overran(logs: list[Any]) -> int:
        return sum(each["event"] == "job_overran" for each in logs)

    with capture_logs() as logs, running(service):
        until(lambda: begun)
        time.sleep(0.1)
        not_due, rests = overran(logs), kernel.faults.quarantined("working")
        service.now = NOW + HOUR
        until(lambda: overran(logs))
        time.sleep(0.1)  # it goes on looking
        over.set()

    assert (not_due, rests) == (0, None)
    assert overran(logs) == 1
    held = kernel.faults.quarantined("working")
    assert held is not None
    assert held.reason == "job a ran longer than 0.01 s, and is due again"


def test_the_runner_outlives_a_database_that_is_not_there(tmp_path: Path) -> None:
    done: list[Any] = []
    kernel = Kernel(Settings(data=tmp_path), [plugin(job(done.append))])
    runner = Runner(kernel, 0.001)

    with capture_logs() as logs:
        runner.start()
        until(lambda: logs)
        kernel.schema.prepare(kernel.store)
        until(lambda: done)
        runner.stop(PATIENCE)
        kernel.close()

    assert {(each["event"], each["error"]) for each in logs if each["log_level"] == "warning"} == {
        ("ticker_failed", "OperationalError")
    }


def test_an_idle_runner_stops_at_once(make_service: MakeService) -> None:
    with running(make_service([plugin(job())]), pause=3600) as runner:
        assert threads() == ["landyard-jobs"]
        begun = time.monotonic()
        runner.stop(PATIENCE)

    assert time.monotonic() - begun < PATIENCE / 2
    assert threads() == []


def test_a_stopped_runner_begins_nothing_more(make_service: MakeService) -> None:
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
    assert run(service) == ["b"]


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
    seen: list[list[str]] = []

    asyncio.run(lifespan(web_app(service.kernel), lambda: seen.append(threads())))

    assert seen == [["landyard-jobs"]]
    assert threads() == []


def test_a_service_in_a_test_runs_no_jobs_unasked(make_service: MakeService) -> None:
    service = make_service([plugin(job())])

    service.get("/healthz")

    assert threads() == []


def test_two_jobs_of_one_name_are_refused(tmp_path: Path) -> None:
    assert "'a'" in refusal(tmp_path, plugin(job()), Plugin("other", Working(job())))


@pytest.mark.parametrize("answer", ["jobs", [Job], Job])
def test_jobs_that_are_none_are_refused(tmp_path: Path, answer: Any) -> None:
    class Careless:
        @hookimpl
        def register_jobs(self) -> Any:
            return answer

    assert "'careless'" in refusal(tmp_path, Plugin("careless", Careless()))
