"""Undo: a call that has written is taken back, by the id of its request (part 11, undo)."""

from typing import Any

import msgspec
import pytest
from conftest import MakeService
from contract.test_undo import rows as everything
from contract.worlds import block, page, world

from landyard.web.wire import Incoming
from landyard_checks.testing import WEBHOOK, Answer, Service

ADD = "landing.landing.add"
UNDO = "landyard.call.undo"
FIELDS = {"fields": {"TITLE": "New", "SITE_ID": 7, "CODE": "new"}}


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service(world=world(page(10, block(100), block(101))))


class Caller:
    """Calls methods with ids that count up, and undoes them."""

    def __init__(self, service: Service) -> None:
        self.service, self.count = service, 0

    def __call__(self, method: str, params: Any = None, **more: Any) -> Answer:
        self.count += 1
        body = msgspec.json.encode({**(params or {}), **more})
        path = f"/1/{WEBHOOK}/{method}.json"
        return self.service.send(Incoming("POST", path, body=body, id=f"r{self.count}"))

    def undo(self, request_id: str) -> Answer:
        return self(UNDO, id=request_id)


@pytest.fixture
def ask(service: Service) -> Caller:
    return Caller(service)


def test_a_call_is_taken_back_and_brought_back(service: Service, ask: Caller) -> None:
    before = everything(service)
    assert ask(ADD, FIELDS).result == 11
    made = everything(service)

    first = ask.undo("r1").result
    undone = everything(service)
    ask.undo(first["id"])

    assert undone == before
    assert everything(service) == made


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("landing.landing.markDelete", {"lid": 10}),
        ("landing.landing.deleteblock", {"lid": 10, "block": 100}),
        ("landing.landing.update", {"lid": 10, "fields": {"TITLE": "Other", "CODE": "other"}}),
        ("landing.landing.publication", {"lid": 10}),
        ("landing.landing.downblock", {"lid": 10, "block": 100}),
        ("landing.site.update", {"id": 7, "fields": {"TITLE": "Other"}}),
    ],
)
def test_what_is_undone_is_as_before(
    service: Service, ask: Caller, method: str, params: dict[str, Any]
) -> None:
    before = everything(service)
    assert ask(method, params).result
    assert everything(service) != before

    assert ask.undo("r1").result["changes"]

    assert everything(service) == before
