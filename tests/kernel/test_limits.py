"""Limits of one caller: `[limits]`, counted by all workers together."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeService
from kernel.processes import Server, serving
from kernel.sample import Brings, Nothing

from landyard import Call, Kernel, MethodGroup, Plugin, Settings
from landyard.ledger import Bucket, Ledger
from landyard.limits import network
from landyard.testing import WEBHOOK, Answer, Service
from landyard.wire import Incoming

NEVER = 1e-9  # a leak that nobody sees in a test
WRONG = "wrong-code-0123456789"


class Clock:
    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def plugin(clock: Clock | None = None) -> Plugin:
    group = MethodGroup()

    @group.method("sample.work")
    def work(call: Call, params: Nothing) -> bool:
        """Work."""
        return True

    @group.method("sample.other")
    def other(call: Call, params: Nothing) -> bool:
        """Work on something else."""
        return True

    return Plugin("sample", Brings(group))


def work(service: Service, method: str = "sample.work", *, code: str = WEBHOOK) -> Answer:
    return service.call(method, webhook=code)


def from_address(service: Service, address: str, code: str) -> Answer:
    return service.send(Incoming("POST", f"/1/{code}/sample.work", address=address))


def refused(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.error


@pytest.fixture
def ledgers(database: dict[str, Any]) -> Iterator[tuple[Clock, list[Ledger]]]:
    """Four workers' ledgers on one database, with one clock."""
    clock = Clock()
    with ExitStack() as stack:
        made = []
        for _ in range(4):
            kernel = Kernel(Settings(**database), [])
            stack.callback(kernel.close)
            ledger = Ledger(kernel.settings, kernel.store, clock=clock)
            stack.callback(ledger.close)
            made.append(ledger)
        yield clock, made


def test_a_bucket_takes_its_size_and_then_what_leaks(
    ledgers: tuple[Clock, list[Ledger]],
) -> None:
    clock, (ledger, *_) = ledgers
    bucket = Bucket(size=3, leak=0.5)

    at_once = [ledger.pour("a", bucket) for _ in range(4)]
    clock.now += 2.0
    then = [ledger.pour("a", bucket), ledger.pour("a", bucket)]
    clock.now += 1000.0
    much_later = [ledger.pour("a", bucket) for _ in range(4)]

    assert at_once == [0, 0, 0, 2]
    assert then == [0, 2]
    assert much_later == [0, 0, 0, 2]
    assert ledger.pour("b", bucket) == 0


def test_a_clock_that_is_behind_leaks_nothing_and_adds_nothing(
    ledgers: tuple[Clock, list[Ledger]],
) -> None:
    clock, (ledger, *_) = ledgers
    bucket = Bucket(size=2, leak=1.0)
    ledger.pour("a", bucket)
    clock.now -= 50.0
    ledger.pour("a", bucket)

    refused_behind = ledger.pour("a", bucket)
    clock.now += 51.0

    assert refused_behind == 1
    assert ledger.pour("a", bucket) == 0
    assert ledger.pour("a", bucket) == 1


def test_workers_who_pour_at_once_share_one_bucket(ledgers: tuple[Clock, list[Ledger]]) -> None:
    _, workers = ledgers
    bucket = Bucket(size=25, leak=NEVER)
    with ThreadPoolExecutor(8) as threads:
        poured = list(threads.map(lambda n: workers[n % 4].pour("a", bucket), range(80)))

    assert poured.count(0) == 25


def test_seconds_of_all_workers_add_up_and_leave_the_window(
    ledgers: tuple[Clock, list[Ledger]],
) -> None:
    clock, (one, other, *_) = ledgers
    clock.now = 6_000.0
    one.spend("webhook:1", "a", 1.5)
    clock.now += 60.0
    both = other.spend("webhook:1", "a", 2.0)
    clock.now += 540.0
    later = one.spend("webhook:1", "a", 0.0)

    assert (both.spent, both.reset_at) == (3.5, 6_600.0)
    assert (later.spent, later.reset_at) == (2.0, 6_660.0)
    assert one.spend("webhook:1", "b", 0.0).spent == 0.0


def test_what_no_longer_counts_is_forgotten(ledgers: tuple[Clock, list[Ledger]]) -> None:
    clock, (ledger, *_) = ledgers
    ledger.pour("old", Bucket(5, 1.0))
    ledger.spend("webhook:1", "a", 1.0)
    clock.now += 2 * 86_400
    ledger.pour("new", Bucket(5, 1.0))

    ledger.forget()

    with ledger._store.session() as session:
        keys = session.connection().exec_driver_sql("SELECT key FROM ledger_bucket").scalars()
        assert list(keys) == ["new"]
        rows = session.connection().exec_driver_sql("SELECT * FROM ledger_operating").all()
        assert rows == []


@pytest.mark.rule("C13")
def test_a_credential_that_calls_too_often_is_told_when_to_come_back(
    make_service: MakeService,
) -> None:
    service = make_service([plugin()], limits={"burst": 3, "per_second": 0.1})

    answers = [work(service) for _ in range(4)]

    assert [refused(each) for each in answers] == [(200, None)] * 3 + [
        (503, "QUERY_LIMIT_EXCEEDED")
    ]
    sent = service.request("POST", f"/rest/1/{WEBHOOK}/sample.work")
    assert 1 <= int(sent.headers["retry-after"]) <= 10


def test_each_credential_has_a_bucket_of_its_own() -> None:
    world = {
        "users": [{"id": 1, "admin": True}],
        "webhooks": [{"user": 1, "code": WEBHOOK}, {"user": 1, "code": WRONG}],
    }
    with Service([plugin()], world=world, limits={"burst": 1, "per_second": NEVER}) as service:
        answers = [work(service), work(service), work(service, code=WRONG)]

    assert [each.status for each in answers] == [200, 503, 200]


@pytest.mark.rule("C1")
def test_unknown_methods_are_counted_before_they_are_looked_for() -> None:
    with Service([plugin()], limits={"burst": 1, "per_second": NEVER}) as service:
        answers = [work(service, "no.such"), work(service, "no.such")]

    assert [each.error for each in answers] == ["ERROR_METHOD_NOT_FOUND", "QUERY_LIMIT_EXCEEDED"]


def test_without_limits_nothing_is_written_down(tmp_path: Path) -> None:
    with Service([plugin()], data=tmp_path, limits={"wrong_credentials": 0}) as service:
        told = [from_address(service, "203.0.113.7", code) for code in (WEBHOOK, WRONG, WRONG)]

        assert [each.status for each in told] == [200, 401, 401]

    assert not (tmp_path / "limits.db").exists()


@pytest.mark.rule("C13", "C12")
def test_a_method_that_has_cost_its_budget_is_refused_until_the_oldest_minute_leaves(
    make_service: MakeService,
) -> None:
    service = make_service([plugin()], limits={"operating_seconds": 100})
    service.kernel.ledger.spend("webhook:1", "sample.work", 99.0)
    fine = work(service)
    service.kernel.ledger.spend("webhook:1", "sample.work", 1.0)

    told = work(service)

    assert fine.status == 200
    assert 99.0 <= fine.body["time"]["operating"] < 100.0
    assert refused(told) == (429, "OPERATION_TIME_LIMIT")
    assert work(service, "sample.other").status == 200
    sent = service.request("POST", f"/rest/1/{WEBHOOK}/sample.work")
    assert 539 <= int(sent.headers["retry-after"]) <= 601


def test_an_address_with_too_many_wrong_credentials_is_refused_unseen(
    make_service: MakeService,
) -> None:
    service = make_service([plugin()], limits={"wrong_credentials": 3})
    told = [from_address(service, "203.0.113.7", f"{WRONG}{n}") for n in range(4)]

    assert [each.error for each in told] == ["INVALID_CREDENTIALS"] * 3 + ["QUERY_LIMIT_EXCEEDED"]
    # Also whoever is right, unless known to be: an answer would tell.
    assert from_address(service, "203.0.113.7", WEBHOOK).error == "QUERY_LIMIT_EXCEEDED"
    assert from_address(service, "203.0.113.8", WEBHOOK).status == 200
    assert from_address(service, "203.0.113.7", WEBHOOK).status == 200


def test_right_credentials_are_not_counted_as_wrong() -> None:
    with Service([plugin()], limits={"wrong_credentials": 2}) as service:
        for _ in range(5):
            service.kernel.gate._known.clear()
            assert from_address(service, "203.0.113.7", WEBHOOK).status == 200


def test_guesses_that_come_all_at_once_are_no_way_around(make_service: MakeService) -> None:
    services = [
        make_service([plugin()], limits={"wrong_credentials": 10}),
        make_service([plugin()], world={}, limits={"wrong_credentials": 10}),
    ]
    with ThreadPoolExecutor(8) as threads:
        told = threads.map(
            lambda n: from_address(services[n % 2], "203.0.113.7", f"{WRONG}{n}").error, range(40)
        )

    counted = Counter(told)
    # A minute's ten leak one in six seconds, and this may take some on a busy machine.
    assert 10 <= counted["INVALID_CREDENTIALS"] <= 12
    assert counted["INVALID_CREDENTIALS"] + counted["QUERY_LIMIT_EXCEEDED"] == 40


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("unix", "unix", True),
    ],
)
def test_of_ipv6_a_whole_network_is_one_address(one: str, other: str, same: bool) -> None:
    assert (network(one) == network(other)) is same


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    limits = {
        "LANDYARD_LIMITS__BURST": "30",
        "LANDYARD_LIMITS__PER_SECOND": "0.0001",
        "LANDYARD_LIMITS__WRONG_CREDENTIALS": "2",
    }
    folder = tmp_path_factory.mktemp("two-workers")
    with serving(folder, "--demo", "--workers", "2", **limits) as server:
        yield server


def test_two_workers_take_a_burst_together(two_workers: Server) -> None:
    path = f"{two_workers.webhook}methods"
    with ThreadPoolExecutor(8) as threads:
        told = Counter(threads.map(lambda _: two_workers.ask("GET", path)[0], range(100)))

    assert told == {200: 30, 503: 70}


def test_a_proxy_that_is_trusted_says_whose_guesses_they_are(two_workers: Server) -> None:
    wrong = f"/rest/1/{WRONG}/methods"
    # What stands before the last address is the caller's own word.
    said = [*["203.0.113.1"] * 3, "203.0.113.2", "203.0.113.99, 203.0.113.1"]

    told = [two_workers.ask("GET", wrong, headers={"X-Forwarded-For": each})[0] for each in said]

    assert told == [401, 401, 503, 401, 503]
