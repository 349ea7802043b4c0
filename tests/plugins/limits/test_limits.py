"""Limits per caller: the settings `[limits]`, counted by all workers together."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import MakeService
from corpora import read_data
from kernel.processes import Server, serving
from kernel.sample import Brings, Nothing
from kernel.switching import turn

import landyard_limits
from landyard import Call, CallError, Credential, MethodGroup, Plugin, Postponed, hookimpl
from landyard.core.timing import WorkerMeter
from landyard.testing import WEBHOOK, Answer, Service, as_plugin
from landyard.web.wire import Incoming
from landyard_limits.limits import network

MODULE = sys.modules["landyard_limits.limits"]  # the package also has a function of that name
NEVER = 1e-9  # a leak too small to matter in a test
WRONG = "wrong-code-0123456789"


def plugins() -> list[Plugin]:
    group = MethodGroup()

    @group.method("sample.work")
    def work(call: Call, params: Nothing) -> bool:
        """Work."""
        return True

    @group.method("sample.other")
    def other(call: Call, params: Nothing) -> bool:
        """Work on something else."""
        return True

    return [as_plugin(landyard_limits), Plugin("sample", Brings(group))]


def work(service: Service, method: str = "sample.work", *, code: str = WEBHOOK) -> Answer:
    return service.call(method, webhook=code)


def from_address(service: Service, address: str, code: str) -> Answer:
    while True:
        try:
            return service.send(Incoming("POST", f"/1/{code}/sample.work", address=address))
        except Postponed as until:
            time.sleep(until.seconds)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "SLOWED", 0.05)


def refused(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.error


@pytest.mark.rule("C13")
def test_a_credential_that_calls_too_often_is_told_when_to_retry(
    make_service: MakeService,
) -> None:
    service = make_service(plugins(), limits={"burst": 3, "per_second": 0.1})

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
    with Service(plugins(), world=world, limits={"burst": 1, "per_second": NEVER}) as service:
        answers = [work(service), work(service), work(service, code=WRONG)]

    assert [each.status for each in answers] == [200, 503, 200]


@pytest.mark.rule("C1")
def test_unknown_methods_are_counted_before_they_are_looked_up() -> None:
    with Service(plugins(), limits={"burst": 1, "per_second": NEVER}) as service:
        answers = [work(service, "no.such"), work(service, "no.such")]

    assert [each.error for each in answers] == ["ERROR_METHOD_NOT_FOUND", "QUERY_LIMIT_EXCEEDED"]


def test_without_limits_nothing_is_stored(tmp_path: Path) -> None:
    with Service(plugins(), data=tmp_path, limits={"wrong_credentials": 0}) as service:
        answers = [from_address(service, "203.0.113.7", code) for code in (WEBHOOK, WRONG, WRONG)]

        assert [each.status for each in answers] == [200, 401, 401]

    assert not (tmp_path / "limits.db").exists()


@pytest.mark.rule("C13", "C12")
def test_a_method_over_its_budget_is_refused_until_the_oldest_minute_leaves_the_window(
    make_service: MakeService,
) -> None:
    service = make_service(plugins(), limits={"operating_seconds": 100})
    service.kernel.dispatch.meter.spend("webhook:1", "sample.work", 99.0)
    fine = work(service)
    service.kernel.dispatch.meter.spend("webhook:1", "sample.work", 1.0)

    answer = work(service)

    assert fine.status == 200
    assert 99.0 <= fine.body["time"]["operating"] < 100.0
    assert refused(answer) == (429, "OPERATION_TIME_LIMIT")
    assert work(service, "sample.other").status == 200
    sent = service.request("POST", f"/rest/1/{WEBHOOK}/sample.work")
    assert 539 <= int(sent.headers["retry-after"]) <= 601


def test_an_address_with_too_many_wrong_credentials_is_refused_unchecked(
    make_service: MakeService,
) -> None:
    service = make_service(plugins(), limits={"wrong_credentials": 3})
    answers = [from_address(service, "203.0.113.7", f"{WRONG}{n}") for n in range(4)]

    assert [each.error for each in answers] == ["INVALID_CREDENTIALS"] * 3 + [
        "QUERY_LIMIT_EXCEEDED"
    ]
    # Right credentials are refused too, unless they are already known: an answer would confirm a
    # guess.
    assert from_address(service, "203.0.113.7", WEBHOOK).error == "QUERY_LIMIT_EXCEEDED"
    assert from_address(service, "203.0.113.8", WEBHOOK).status == 200
    assert from_address(service, "203.0.113.7", WEBHOOK).status == 200


def test_guesses_from_new_addresses_wait_and_right_credentials_are_accepted(
    make_service: MakeService,
) -> None:
    service = make_service(plugins(), limits={"wrong_credentials": 3})
    addresses = [f"203.0.113.{n}" for n in range(10)]
    for address in addresses[:3]:
        from_address(service, address, WRONG)

    with pytest.raises(Postponed):
        service.send(Incoming("POST", f"/1/{WRONG}/sample.work", address="203.0.113.99"))
    began = time.monotonic()
    assert {from_address(service, each, f"{WRONG}{each}").status for each in addresses} == {401}
    assert time.monotonic() - began >= 10 * 0.05
    assert from_address(service, "203.0.113.98", WEBHOOK).status == 200
    # A caller with known credentials does not wait, nor does another user.
    assert work(service).status == 200
    assert service.send(Incoming("POST", f"/2/{WRONG}/x", address="203.0.113.97")).status == 401


def test_only_a_limited_number_of_guesses_wait_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_AT_ONCE", 2)
    began = time.monotonic()
    with (
        Service(plugins(), limits={"wrong_credentials": 1}) as service,
        ThreadPoolExecutor(8) as threads,
    ):
        addresses = (f"203.0.113.{n}" for n in range(16))
        statuses = threads.map(
            lambda each: from_address(service, each, WRONG + each).status, addresses
        )
        assert set(statuses) == {401}

    assert time.monotonic() - began > 5 * 0.05


def test_right_credentials_are_not_counted_as_wrong() -> None:
    with Service(plugins(), limits={"wrong_credentials": 2}) as service:
        for _ in range(5):
            service.kernel.credentials.forget()
            assert from_address(service, "203.0.113.7", WEBHOOK).status == 200


def test_concurrent_guesses_cannot_bypass_the_limit(make_service: MakeService) -> None:
    services = [
        make_service(plugins(), limits={"wrong_credentials": 10}),
        make_service(plugins(), world={}, limits={"wrong_credentials": 10}),
    ]
    with ThreadPoolExecutor(8) as threads:
        codes = threads.map(
            lambda n: from_address(services[n % 2], "203.0.113.7", f"{WRONG}{n}").error, range(40)
        )

    counted = Counter(codes)
    # Ten a minute leak one in six seconds, and a busy machine may need several seconds.
    assert 10 <= counted["INVALID_CREDENTIALS"] <= 12
    assert counted["INVALID_CREDENTIALS"] + counted["QUERY_LIMIT_EXCEEDED"] == 40


class Refused(CallError):
    code = "REFUSED"
    status = 401
    system = True


class Refusing:
    """A plugin that refuses every credential with its own error text."""

    @hookimpl
    def authenticate(self, credential: Credential) -> None:
        if credential.secret != WEBHOOK:
            raise Refused


def test_wrong_credentials_are_counted_whichever_plugin_refuses_them() -> None:
    guard = Plugin("a-guard", Refusing())
    with Service([*plugins(), guard], limits={"wrong_credentials": 3}) as service:
        answers = [from_address(service, "203.0.113.7", f"{WRONG}-{n}").error for n in range(5)]

    assert answers == ["REFUSED"] * 3 + ["QUERY_LIMIT_EXCEEDED"] * 2


def test_workers_share_their_meter_only_where_there_is_a_budget() -> None:
    with Service(plugins()) as service:
        assert isinstance(service.kernel.dispatch.meter, WorkerMeter)
    with Service(plugins(), limits={"operating_seconds": 100}) as service:
        assert not isinstance(service.kernel.dispatch.meter, WorkerMeter)


def test_with_the_plugin_off_nothing_is_refused(make_service: MakeService) -> None:
    service = make_service(plugins(), limits={"burst": 1, "wrong_credentials": 1})

    turn(service.kernel, "limits", is_on=False)
    service.kernel.lifecycle.refresh()

    assert [work(service).status for _ in range(3)] == [200] * 3
    assert [work(service, code=WRONG).status for _ in range(3)] == [401] * 3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    read_data(__file__, "networks", list[tuple[str, str, bool]]),
)
def test_an_ipv6_network_counts_as_one_address(one: str, other: str, same: bool) -> None:
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


def test_two_workers_together_accept_one_burst(two_workers: Server) -> None:
    path = f"{two_workers.webhook}methods"
    with ThreadPoolExecutor(8) as threads:
        counts = Counter(threads.map(lambda _: two_workers.ask("GET", path)[0], range(100)))

    assert counts == {200: 30, 503: 70}


def test_a_trusted_proxy_names_the_guessing_address(two_workers: Server) -> None:
    wrong = f"/rest/1/{WRONG}/methods"
    # Addresses before the last one are only claimed by the caller.
    addresses = [*["203.0.113.1"] * 3, "203.0.113.2", "203.0.113.99, 203.0.113.1"]

    statuses = [
        two_workers.ask("GET", wrong, headers={"X-Forwarded-For": each})[0] for each in addresses
    ]

    assert statuses == [401, 401, 503, 401, 503]
