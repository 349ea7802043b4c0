"""Counters shared by workers, and the behaviour when counting fails."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings
from msgspec import Struct
from structlog.testing import capture_logs

import landyard_limits
from landyard import Call, Kernel, MethodGroup, Plugin, Settings
from landyard.plugin_host.loading import Contribution
from landyard.testing import WEBHOOK, Answer, Service, as_plugin
from landyard.web.wire import Incoming
from landyard_limits.counters import Bucket, Counters

NEVER = 1e-9  # a leak too small to matter in a test
DAY = 86_400.0
LIMITS = {"burst": 100, "operating_seconds": 100}


class Clock:
    def __init__(self, now: float = 6_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Named(Struct, frozen=True):
    name: str = "changed"


def plugins() -> list[Plugin]:
    group = MethodGroup()

    @group.method("sample.rename", writes=True)
    def rename(call: Call, params: Named) -> str:
        """Rename everybody."""
        call.connection.execute(
            sa.text("UPDATE landyard_user SET name = :name"), {"name": params.name}
        )
        return params.name

    return [as_plugin(landyard_limits), Plugin("sample", Brings(group))]


def call(service: Service, code: str = WEBHOOK, address: str = "203.0.113.7") -> Answer:
    return service.send(Incoming("POST", f"/1/{code}/sample.rename", address=address))


def counters_of(service: Service) -> Counters:
    def limits(contribution: Contribution) -> bool:
        return contribution.plugin.name == "limits"

    [contribution] = filter(limits, service.kernel.resolution.contributions)
    counters: Counters = contribution.keeper.counters
    return counters


@pytest.fixture
def workers(database: dict[str, Any]) -> Iterator[tuple[Clock, list[Counters]]]:
    """Four workers' counters on one database, with one clock."""
    clock = Clock()
    with ExitStack() as stack:
        made = []
        for _ in range(4):
            kernel = Kernel(Settings(**database), [])
            stack.callback(kernel.close)
            counters = Counters(kernel.settings, kernel.store, clock=clock)
            stack.callback(counters.close)
            made.append(counters)
        yield clock, made


Workers = tuple[Clock, list[Counters]]


def rows(counters: Counters, table: str) -> list[Any]:
    with counters._store.session() as session:
        return list(session.execute(sa.text(f"SELECT * FROM {table}")))


def test_a_bucket_accepts_its_size_and_then_its_leak_rate(workers: Workers) -> None:
    clock, (counters, *_) = workers
    bucket = Bucket(size=3, leak=0.5)

    at_once = [counters.pour("a", bucket) for _ in range(4)]
    clock.now += 2.0
    then = [counters.pour("a", bucket), counters.pour("a", bucket)]
    clock.now += 1000.0
    much_later = [counters.pour("a", bucket) for _ in range(4)]

    assert at_once == [0, 0, 0, 2]
    assert then == [0, 2]
    assert much_later == [0, 0, 0, 2]
    assert counters.pour("b", bucket) == 0


def test_a_count_that_is_taken_back_leaves_room(workers: Workers) -> None:
    _, (counters, *_) = workers
    bucket = Bucket(size=2, leak=NEVER)
    for _ in range(2):
        counters.pour("a", bucket)

    counters.take_back("a", bucket)

    assert counters.pour("a", bucket) == 0
    assert counters.pour("a", bucket) > 0


def test_hosts_whose_clocks_differ_a_little_share_a_bucket(workers: Workers) -> None:
    clock, (counters, *_) = workers
    bucket = Bucket(size=2, leak=1.0)
    for _ in range(2):
        counters.pour("a", bucket)
    clock.now -= 50.0

    assert counters.pour("a", bucket) == 51


def test_a_clock_that_was_far_ahead_locks_out_no_caller(workers: Workers) -> None:
    clock, (counters, *_) = workers
    clock.now += 30 * DAY
    counters.pour("a", Bucket(1, 0.01))
    clock.now -= 30 * DAY

    assert counters.pour("a", Bucket(1, 0.01)) == 0
    assert counters.pour("a", Bucket(1, 0.01)) == 100


def test_concurrent_workers_share_one_bucket(workers: Workers) -> None:
    _, made = workers
    bucket = Bucket(size=25, leak=NEVER)
    with ThreadPoolExecutor(8) as threads:
        poured = list(threads.map(lambda n: made[n % 4].pour("a", bucket), range(80)))

    assert poured.count(0) == 25


def test_seconds_of_all_workers_add_up_and_leave_the_window(workers: Workers) -> None:
    clock, (one, other, *_) = workers
    one.spend("webhook:1", "a", 1.5)
    clock.now += 60.0
    both = other.spend("webhook:1", "a", 2.0)
    clock.now += 540.0
    later = one.spend("webhook:1", "a", 0.0)

    assert (both.spent, both.reset_at) == (3.5, 6_600.0)
    assert (later.spent, later.reset_at) == (2.0, 6_660.0)
    assert one.spend("webhook:1", "b", 0.0).spent == 0.0


@pytest.mark.parametrize(("budget", "wait"), [(10.0, 480), (15.0, 300), (21.0, 0), (0.5, 480)])
def test_a_caller_waits_until_enough_has_left_the_window(
    workers: Workers, budget: float, wait: int
) -> None:
    clock, (counters, *_) = workers
    counters.spend("webhook:1", "a", 6.0)
    counters.spend("webhook:1", "a", 0.0)
    clock.now += 180.0
    counters.spend("webhook:1", "a", 14.0)
    clock.now += 120.0

    assert counters.wait("webhook:1", "a", budget) == wait


def test_seconds_of_a_clock_that_was_far_ahead_do_not_count(workers: Workers) -> None:
    clock, (one, other, *_) = workers
    clock.now += 86_400
    one.spend("webhook:1", "a", 500.0)
    clock.now -= 86_400

    spent = other.spend("webhook:1", "a", 1.0)

    assert spent.spent == 1.0
    assert other.worked() == [("webhook:1", "a", 1.0)]
    assert other.wait("webhook:1", "a", 480.0) == 0


def test_refused_calls_leave_no_empty_minutes(workers: Workers) -> None:
    clock, (counters, *_) = workers
    counters.spend("webhook:1", "a", 0.0)
    clock.now += 60.0

    assert counters.spend("webhook:1", "a", 1.0).reset_at == 6_660.0


def test_counts_that_no_longer_matter_are_deleted(workers: Workers) -> None:
    clock, (counters, *_) = workers
    counters.pour("old", Bucket(5, 1.0))
    counters.spend("webhook:1", "a", 1.0)
    clock.now += 2 * DAY
    counters.pour("new", Bucket(5, 1.0))

    counters.forget()

    assert [row.key for row in rows(counters, "limits_bucket")] == ["new"]
    assert rows(counters, "limits_operating") == []


def test_a_job_deletes_old_counts(make_service: MakeService) -> None:
    service = make_service(plugins(), limits=LIMITS)
    counters = counters_of(service)
    counters._clock = Clock()
    counters.spend("webhook:1", "a", 1.0)

    assert "limits.forget" in service.run_jobs()

    assert rows(counters, "limits_operating") == []


@pytest.mark.parametrize("damage", [None, b"this is no database" * 100])
def test_a_missing_or_broken_file_is_replaced(tmp_path: Path, damage: bytes | None) -> None:
    with Service(plugins(), data=tmp_path, limits={"burst": 1, "per_second": NEVER}) as service:
        assert call(service).status == 200
        assert call(service).status == 503
        counters_of(service).close()
        for file in tmp_path.glob("limits.db*"):
            file.unlink()
        if damage is not None:
            (tmp_path / "limits.db").write_bytes(damage)

        with capture_logs() as logs:
            statuses = [call(service).status for _ in range(3)]

    assert statuses == [200, 200, 503]
    assert [each["event"] for each in logs].count("counters_begun_anew") == 1


def test_failing_counters_refuse_no_caller(make_service: MakeService) -> None:
    limits = {"burst": 1, "per_second": NEVER, "operating_seconds": 100, "wrong_credentials": 1}
    service = make_service(plugins(), limits=limits)

    def fails(*_: Any) -> Any:
        raise OSError

    counters_of(service)._run = fails  # type: ignore[method-assign, assignment]
    with capture_logs() as logs:
        assert [call(service).status for _ in range(3)] == [200] * 3
        assert call(service, "wrong-code-0123456789").status == 401

    assert {"counting_failed", "operating_lost"} <= {each["event"] for each in logs}


@pytest.mark.rule("C1")
def test_C1_a_failed_count_after_a_commit_does_not_fail_the_call(
    make_service: MakeService,
) -> None:
    service = make_service(plugins(), limits=LIMITS)

    def fails(*_: Any) -> Any:
        raise OSError

    service.kernel.dispatch.meter.spend = fails  # type: ignore[method-assign, assignment]
    answer = call(service)

    assert answer.status == 200
    with service.kernel.store.session() as session:
        names = session.execute(sa.text("SELECT name FROM landyard_user")).scalars()
        assert set(names) == {"changed"}


@pytest.mark.postgres
def test_the_service_needs_no_right_to_change_the_schema(tmp_path: Path, postgres_url: str) -> None:
    """`db upgrade` may use CREATE; the running service needs no such right."""
    role = f"landyard_{uuid.uuid4().hex[:12]}"
    owner = sa.create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with owner.connect() as connection:
        for grant in (
            f"CREATE ROLE {role} LOGIN",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
            f"GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {role}",
        ):
            connection.execute(sa.text(grant))
        try:
            url = sa.make_url(postgres_url).set(username=role)
            shown = url.render_as_string(hide_password=False)
            with Service(plugins(), data=tmp_path, database_url=shown, limits=LIMITS) as service:
                assert call(service).status == 200
                assert call(service, "wrong-code-0123456789").status == 401
        finally:
            connection.execute(sa.text(f"DROP OWNED BY {role}"))
            connection.execute(sa.text(f"DROP ROLE {role}"))
    owner.dispose()
