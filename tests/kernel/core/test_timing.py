"""The field `time` of an answer (C12)."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from kernel.sample import Brings, Nothing

from landyard import Call, MethodGroup, Plugin
from landyard.core.timing import Operating, WorkerMeter
from landyard.testing import Service

MINUTE = 60.0


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.mark.rule("C12")
def test_C12_costs_add_up_per_credential_and_method() -> None:
    meter = WorkerMeter(Clock(0))
    meter.spend("webhook:1", "a", 1.0)
    meter.spend("webhook:2", "a", 10.0)
    meter.spend("webhook:1", "b", 100.0)

    assert meter.spend("webhook:1", "a", 2.0) == Operating(3.0, 600.0)


@pytest.mark.rule("C12")
@pytest.mark.parametrize(
    ("minutes", "spent"),
    [
        ([0, 9.99], 3.0),  # both are within the window of ten buckets
        ([0, 10], 2.0),  # the first bucket has left the window
        ([0.99, 10], 2.0),  # a bucket leaves as a whole
        ([1, 10.99], 3.0),
        ([0, 25], 2.0),
    ],
)
def test_C12_the_window_is_ten_buckets_of_a_minute(minutes: list[float], spent: float) -> None:
    clock = Clock(minutes[0] * MINUTE)
    meter = WorkerMeter(clock)
    meter.spend("webhook:1", "a", 1.0)
    clock.now = minutes[1] * MINUTE

    assert meter.spend("webhook:1", "a", 2.0).spent == spent


@pytest.mark.rule("C12")
@pytest.mark.parametrize(
    ("minutes", "reset_at"),
    [
        ([2.5], 12 * MINUTE),
        ([2.5, 3.5, 11.9], 12 * MINUTE),
        ([2.5, 3.5, 12.0], 13 * MINUTE),  # the bucket of minute 2 has left the window
        ([2.5, 40.0], 50 * MINUTE),
    ],
)
def test_C12_reset_is_the_time_when_the_oldest_used_bucket_leaves(
    minutes: list[float], reset_at: float
) -> None:
    clock = Clock(0)
    meter = WorkerMeter(clock)
    for minute in minutes:
        clock.now = minute * MINUTE
        operating = meter.spend("webhook:1", "a", 1.0)

    assert operating.reset_at == reset_at


@pytest.mark.rule("C12")
def test_C12_a_credential_unused_for_a_window_is_forgotten() -> None:
    clock = Clock(0)
    meter = WorkerMeter(clock)
    for caller in range(100):
        meter.spend(f"webhook:{caller}", "a", 1.0)
    clock.now = 11 * MINUTE
    meter.spend("webhook:new", "a", 1.0)

    assert len(meter._spent) == 1


HOOKS = ["webhook-one-0123456789", "webhook-two-0123456789"]


@pytest.fixture
def service() -> Iterator[Service]:
    world = {
        "users": [{"id": 1}],
        "webhooks": [{"user": 1, "code": code, "scopes": ["sample"]} for code in HOOKS],
    }
    group, general = MethodGroup(scope="sample"), MethodGroup()

    @group.method("sample.work")
    def work(call: Call, params: Nothing) -> int:
        """Use some time."""
        return sum(range(200_000))

    @general.method("sample.general")
    def of_nobody(call: Call, params: Nothing) -> int:
        """Answer any credential."""
        return 1

    plugins = [Plugin("sample", Brings(group)), Plugin("general", Brings(general))]
    with Service(plugins, world=world, time_zone="Asia/Kolkata") as service:
        yield service


def timed(service: Service, method: str = "sample.work", hook: str = HOOKS[0]) -> dict[str, Any]:
    answer = service.call(method, webhook=hook)
    assert set(answer.body) == {"result", "time"}
    time: dict[str, Any] = answer.body["time"]
    return time


@pytest.mark.rule("C12", "call: result and time", "call: time")
def test_C12_fields_and_their_types(service: Service) -> None:
    time = timed(service)

    numbers = {"start", "finish", "duration", "processing", "operating", "operating_reset_at"}
    assert set(time) == numbers | {"date_start", "date_finish"}
    assert {type(time[name]) for name in numbers} <= {int, float}
    assert time["duration"] == pytest.approx(time["finish"] - time["start"], abs=1e-6)
    assert 0 < time["processing"] <= time["duration"]
    assert time["start"] < time["operating_reset_at"] <= time["finish"] + 600


@pytest.mark.rule("C12", "call: time")
def test_C12_dates_are_to_the_second_with_the_offset_of_the_service(service: Service) -> None:
    time = timed(service)

    form = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30")
    for name in ("start", "finish"):
        assert form.fullmatch(time[f"date_{name}"])
        assert datetime.fromisoformat(time[f"date_{name}"]).timestamp() == int(time[name])


@pytest.mark.rule("C12")
def test_C12_operating_includes_this_call_and_earlier_ones(service: Service) -> None:
    first, second = timed(service), timed(service)

    assert first["operating"] == pytest.approx(first["processing"])
    assert second["operating"] == pytest.approx(first["processing"] + second["processing"])


@pytest.mark.rule("C12")
def test_C12_operating_is_counted_per_credential(service: Service) -> None:
    timed(service)
    other = timed(service, hook=HOOKS[1])

    assert other["operating"] == pytest.approx(other["processing"])


@pytest.mark.rule("C12", "call: time")
def test_C12_only_operating_reset_at_is_absent_in_general_methods(service: Service) -> None:
    assert set(timed(service)) - set(timed(service, "sample.general")) == {"operating_reset_at"}
