"""`landyard.limit.list`: the limits, and the callers close to one."""

import pytest
from conftest import MakeService

import landyard_limits
from landyard.testing import WEBHOOK
from landyard.web.wire import Incoming

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["admin"]}],
}
LIMITS = {"burst": 5, "per_second": 0.001, "operating_seconds": 60, "wrong_credentials": 20}


def test_callers_close_to_a_limit_are_listed(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard_limits.listing.SHOWN", 3)
    service = make_service([landyard_limits], world=WORLD, limits=LIMITS)
    for number in range(4):
        address = f"192.0.2.{number}"
        for _ in range(1 + (number == 2)):
            service.send(Incoming("POST", "/1/wrong-code-0123456789/methods", address=address))
    service.result("landyard.limit.list")
    answer = service.result("landyard.limit.list")

    assert {name: answer[name] for name in LIMITS} == LIMITS
    calls, *others = answer["counted"]
    assert (calls["kind"], calls["of"], calls["most"]) == ("calls", "webhook:1", 5)
    assert 1.9 < calls["count"] <= 2
    wrong = [each for each in others if each["kind"] == "wrong"]
    assert (len(wrong), wrong[0]["of"]) == (3, "192.0.2.2")
    assert [each["of"] for each in others if each["kind"] == "guessed"] == ["1"]
    (worked,) = answer["operating"]
    assert (worked["credential"], worked["method"]) == ("webhook:1", "landyard.limit.list")
    assert worked["seconds"] > 0


def test_a_limit_that_is_off_counts_nothing(make_service: MakeService) -> None:
    off = {"wrong_credentials": 0}
    service = make_service([landyard_limits], world=WORLD, limits=off)

    answer = service.result("landyard.limit.list")

    assert (answer["burst"], answer["counted"], answer["operating"]) == (0, [], [])
