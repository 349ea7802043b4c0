"""The order of checks (C1): of two mistakes in a call, the one checked earlier is answered."""

from collections.abc import Iterator

import pytest
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, Id, MethodGroup, MissingParams, Plugin, WrongType
from landyard.testing import Service
from landyard.web.wire import Incoming

GOOD = "/1/webhook-with-scope-0123456789"
NARROW = "/1/webhook-without-0123456789"
IDLE = "/2/webhook-of-idle-0123456789"
WRONG = "/1/webhook-unknown-0123456789"
WORLD = {
    "users": [{"id": 1}, {"id": 2, "active": False}],
    "webhooks": [
        {"user": 1, "code": GOOD.rpartition("/")[2], "scopes": ["sample"]},
        {"user": 1, "code": NARROW.rpartition("/")[2], "scopes": []},
        {"user": 2, "code": IDLE.rpartition("/")[2], "scopes": ["sample"]},
    ],
}
HANDLED: list[int] = []


class Edit(Struct, frozen=True):
    lid: Id
    block: Id
    flag: bool = False


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    group = MethodGroup(scope="sample")

    @group.method("sample.edit", errors=[MissingParams, WrongType], writes=True)
    def edit(call: Call, params: Edit) -> bool:
        """Record that the handler was reached."""
        HANDLED.append(params.lid)
        return True

    with Service([Plugin("sample", Brings(group))], world=WORLD) as service:
        yield service


UNREADABLE = b'{"lid": '
FULL = b'{"lid": 1, "block": 2}'
LACKING = b'{"lid": "x"}'
WRONG_TYPE = b'{"lid": "x", "block": 2, "flag": "maybe"}'

STEPS = [
    # the second mistake                       path                      body        answered
    ("unreadable and no credentials", "/sample.edit", UNREADABLE, "INVALID_REQUEST"),
    ("unreadable and wrong credentials", f"{WRONG}/sample.edit", UNREADABLE, "INVALID_REQUEST"),
    ("unreadable and unknown method", f"{GOOD}/sample.none", UNREADABLE, "INVALID_REQUEST"),
    ("no credentials and unknown method", "/sample.none", FULL, "NO_AUTH_FOUND"),
    ("wrong credentials and unknown method", f"{WRONG}/sample.none", FULL, "INVALID_CREDENTIALS"),
    ("wrong credentials and no parameters", f"{WRONG}/sample.edit", b"", "INVALID_CREDENTIALS"),
    ("inactive user and unknown method", f"{IDLE}/sample.none", FULL, "user_access_error"),
    ("unknown method and no scope", f"{NARROW}/sample.none", FULL, "ERROR_METHOD_NOT_FOUND"),
    ("no scope and missing parameters", f"{NARROW}/sample.edit", b"", "insufficient_scope"),
    ("no scope and wrong types", f"{NARROW}/sample.edit", WRONG_TYPE, "insufficient_scope"),
    ("missing and wrong parameters", f"{GOOD}/sample.edit", LACKING, "MISSING_PARAMS"),
    ("wrong types", f"{GOOD}/sample.edit", WRONG_TYPE, "TYPE_ERROR"),
]


@pytest.mark.rule("C1")
@pytest.mark.parametrize(
    ("path", "body", "code"), [step[1:] for step in STEPS], ids=[step[0] for step in STEPS]
)
def test_C1_the_earlier_mistake_is_answered(
    service: Service, path: str, body: bytes, code: str
) -> None:
    HANDLED.clear()

    assert service.send(Incoming("POST", path, body=body)).error == code
    assert HANDLED == []


@pytest.mark.rule("C1")
def test_C1_the_handler_runs_last(service: Service) -> None:
    HANDLED.clear()

    assert service.send(Incoming("POST", f"{GOOD}/sample.edit", body=FULL)).result is True
    assert HANDLED == [1]
