"""Dispatch answers, whatever handlers and plugins do: C11, C13."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings, Nothing, sample_plugin
from structlog.testing import capture_logs

from landyard import Call, CallError, MethodGroup, Plugin, Reply, Request, SystemFailure, hookimpl
from landyard.credentials import User
from landyard.dispatch import Undeclared
from landyard.errors import OperationTimeLimit, OverloadLimit, QueryLimitExceeded
from landyard.testing import Service

INTERNALS = "secret internals at /srv/landyard/plugins"


class Declared(CallError):
    code = "DECLARED"
    text = "This was to be expected."


class Mapped(CallError):
    code = "MAPPED"


class Foreign(Exception):
    """What a library raises that a plugin is built on."""


def raising(error: Exception, *, declares: list[type[CallError]], writes: bool = False) -> Plugin:
    group = MethodGroup()

    @group.method("sample.raise", errors=declares, writes=writes)
    def fail(call: Call, params: Nothing) -> None:
        """Leave something behind, then fail."""
        call.session.add(User(id=77, name="left behind"))
        call.session.flush()
        raise error

    return Plugin("sample", Brings(group))


CRASHES: list[tuple[Exception, list[type[CallError]], int, str]] = [
    (ValueError(INTERNALS), [], 500, "INTERNAL_SERVER_ERROR"),
    (ValueError(INTERNALS), [SystemFailure], 400, "SYSTEM_ERROR"),
    (RecursionError(INTERNALS), [SystemFailure], 400, "SYSTEM_ERROR"),
    (MemoryError(INTERNALS), [], 500, "INTERNAL_SERVER_ERROR"),
    (Declared(INTERNALS), [], 500, "INTERNAL_SERVER_ERROR"),
    (Declared(INTERNALS), [SystemFailure], 400, "SYSTEM_ERROR"),
    (SystemFailure(INTERNALS), [], 500, "INTERNAL_SERVER_ERROR"),
]


@pytest.mark.rule("C11")
@pytest.mark.parametrize(("error", "declares", "status", "code"), CRASHES)
def test_C11_a_crash_is_told_without_internals(
    error: Exception, declares: list[type[CallError]], status: int, code: str
) -> None:
    with Service([raising(error, declares=declares)], raise_crashes=False) as service:
        answer = service.call("sample.raise")

    assert (answer.status, answer.error) == (status, code)
    assert INTERNALS not in str(answer.body)


@pytest.mark.rule("C11", "call: error")
def test_C11_a_declared_error_is_told_as_it_is() -> None:
    with Service([raising(Declared(), declares=[Declared])]) as service:
        answer = service.call("sample.raise")

    assert answer.status == 400
    assert answer.body == {"error": "DECLARED", "error_description": Declared.text}


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationTimeLimit(retry_after=7), 429, "OPERATION_TIME_LIMIT"),
        (QueryLimitExceeded(retry_after=7), 503, "QUERY_LIMIT_EXCEEDED"),
        (OverloadLimit(retry_after=7), 503, "OVERLOAD_LIMIT"),
    ],
)
def test_C13_limits_tell_when_to_come_back(error: CallError, status: int, code: str) -> None:
    with Service([raising(error, declares=[])]) as service:
        answer = service.request("POST", "/rest/1/test-webhook-0123456789/sample.raise")

    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert answer.headers["retry-after"] == "7"


def test_C11_an_undeclared_code_fails_a_test() -> None:
    with Service([raising(Declared(), declares=[])]) as service, pytest.raises(Undeclared):
        service.call("sample.raise")


def test_C11_a_crash_fails_a_test() -> None:
    with Service([raising(Foreign(), declares=[])]) as service, pytest.raises(Foreign):
        service.call("sample.raise")


@pytest.mark.rule("C1")
@pytest.mark.parametrize("error", [ValueError("x"), Declared()])
@pytest.mark.parametrize("writes", [True, False])
def test_C1_a_failed_call_leaves_nothing_behind(
    make_service: MakeService, error: Exception, writes: bool
) -> None:
    plugin = raising(error, declares=[Declared], writes=writes)
    service = make_service([plugin], raise_crashes=False)

    assert service.call("sample.raise").error is not None
    assert users(service) == [1]


class Unencodable:
    pass


@pytest.mark.rule("C1", "C11")
@pytest.mark.parametrize("result", [Unencodable(), {"a": [object()]}, "\ud800", {(1, 2): 3}])
def test_C11_a_result_that_cannot_be_encoded_is_a_failed_call(
    make_service: MakeService, result: Any
) -> None:
    group = MethodGroup()

    @group.method("sample.answer", errors=[SystemFailure], writes=True)
    def answer_oddly(call: Call, params: Nothing) -> Any:
        """Write a row and answer what no JSON can hold."""
        call.session.add(User(id=77, name="left behind"))
        return result

    service = make_service([Plugin("sample", Brings(group))], raise_crashes=False)

    assert service.call("sample.answer").error == "SYSTEM_ERROR"
    assert users(service) == [1]


def users(service: Service) -> list[int]:
    with service.kernel.store.session() as session:
        return list(session.scalars(sa.text("SELECT id FROM landyard_user ORDER BY id")))


class Mapping(Brings):
    def __init__(self, group: MethodGroup, answer: Callable[[Exception], Any]) -> None:
        super().__init__(group)
        self.answer = answer

    @hookimpl
    def map_error(self, error: Exception) -> Any:
        return self.answer(error) if isinstance(error, Foreign) else None


def mapping(answer: Callable[[Exception], Any]) -> list[Plugin]:
    plugin = raising(Foreign(INTERNALS), declares=[Mapped])
    return [Plugin("sample", Mapping(plugin.module.group, answer))]


def test_a_plugin_says_what_an_exception_means() -> None:
    with Service(mapping(lambda _: Mapped("told"))) as service:
        assert service.call("sample.raise").body == {"error": "MAPPED", "error_description": "told"}


def broken(_: Exception) -> None:
    raise ZeroDivisionError(INTERNALS)


@pytest.mark.rule("C11")
@pytest.mark.parametrize(
    "answer",
    [
        broken,
        lambda _: Declared(INTERNALS),  # not declared by the method
        lambda _: INTERNALS,
        lambda _: Mapped,  # the class, not an error
        lambda _: 5,
    ],
)
def test_C11_what_map_error_does_is_fenced(answer: Callable[[Exception], Any]) -> None:
    with Service(mapping(answer), raise_crashes=False) as service:
        told = service.call("sample.raise")

    assert (told.status, told.error) == (500, "INTERNAL_SERVER_ERROR")
    assert INTERNALS not in str(told.body)


class Observer(Brings):
    def __init__(self, *, fails: bool) -> None:
        super().__init__(MethodGroup())
        self.fails = fails
        self.seen: list[tuple[str, int]] = []

    @hookimpl
    def call_finished(self, request: Request, reply: Reply) -> None:
        self.seen.append((request.method, reply.status))
        if self.fails:
            raise ZeroDivisionError


def observed() -> Iterator[Observer]:
    return (Observer(fails=fails) for fails in (True, False, True))


def test_a_raising_observer_does_not_stop_the_others() -> None:
    first, second, third = observed()
    plugins = [Plugin(name, each) for name, each in zip("abc", (first, second, third), strict=True)]
    with Service([*plugins, raising(Declared(), declares=[Declared])]) as service:
        assert service.call("sample.raise").error == "DECLARED"
        assert service.call("sample.none").error == "ERROR_METHOD_NOT_FOUND"

    expected = [("sample.raise", 400), ("sample.none", 404)]
    assert [first.seen, second.seen, third.seen] == [expected] * 3


@pytest.mark.rule("C11")
def test_C11_a_crash_at_the_gate_lets_nobody_in_and_keeps_nobody_out() -> None:
    class Crashing(Brings):
        @hookimpl(tryfirst=True)
        def authenticate(self) -> None:
            raise Foreign(INTERNALS)

    plugins = [Plugin("crashing", Crashing(MethodGroup())), sample_plugin()]
    with Service(plugins) as service, capture_logs() as logs:
        known = service.call("sample.given")
        unknown = service.call("sample.given", webhook="nobodys-webhook-0123")

    assert known.status == 200
    assert (unknown.status, unknown.error) == (401, "INVALID_CREDENTIALS")
    assert {log["plugin"] for log in logs if log["event"] == "hook_failed"} == {"crashing"}
