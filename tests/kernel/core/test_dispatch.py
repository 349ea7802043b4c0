"""Dispatch answers every call, whatever handlers and plugins do (C11, C13)."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings, Nothing
from kernel.switching import doing, saying

from landyard import (
    Call,
    CallError,
    Credential,
    MethodGroup,
    Plugin,
    Request,
    SystemFailure,
    hookimpl,
)
from landyard.auth.credentials import User
from landyard.core.errors import (
    OperationTimeLimit,
    OverloadLimit,
    QueryLimitExceeded,
    Undeclared,
)
from landyard.core.timing import Deadline, Operating
from landyard.storage.store import WriteRefused
from landyard.testing import WEBHOOK, Service

INTERNALS = "secret internals at /srv/landyard/plugins"


class Declared(CallError):
    code = "DECLARED"
    text = "This was to be expected."


class Mapped(CallError):
    code = "MAPPED"


class Foreign(Exception):
    """An exception of a library that a plugin uses."""


def raising(error: Exception, *, declares: list[type[CallError]], writes: bool = True) -> Plugin:
    group = MethodGroup()

    @group.method("sample.raise", errors=declares, writes=writes)
    def fail(call: Call, params: Nothing) -> None:
        """Write a row, then fail."""
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
def test_C11_the_answer_to_a_crash_contains_no_internals(
    error: Exception, declares: list[type[CallError]], status: int, code: str
) -> None:
    with Service([raising(error, declares=declares)], raise_crashes=False) as service:
        answer = service.call("sample.raise")

    assert (answer.status, answer.error) == (status, code)
    assert INTERNALS not in str(answer.body)


@pytest.mark.rule("C11", "call: error")
def test_C11_a_declared_error_is_answered_as_it_is() -> None:
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
def test_C13_a_limit_answers_when_to_retry(error: CallError, status: int, code: str) -> None:
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
        """Write a row and answer a value that JSON cannot express."""
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


def test_a_plugin_maps_an_exception_to_an_error() -> None:
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
        lambda _: Mapped,  # a class, not an error
        lambda _: 5,
    ],
)
def test_C11_an_unusable_answer_of_map_error_is_ignored(
    answer: Callable[[Exception], Any],
) -> None:
    with Service(mapping(answer), raise_crashes=False) as service:
        told = service.call("sample.raise")

    assert (told.status, told.error) == (500, "INTERNAL_SERVER_ERROR")
    assert INTERNALS not in str(told.body)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_C11_a_raised_BaseException_ends_only_its_call(error: BaseException) -> None:
    def leave(call: Call) -> None:
        raise error

    with Service([doing("one", leave)], raise_crashes=False) as service:
        answer = service.call("one.do")

    assert (answer.status, answer.error) == (500, "INTERNAL_SERVER_ERROR")


def delete_users(call: Call) -> None:
    call.connection.execute(sa.text("DELETE FROM landyard_user"))


def add_user(call: Call) -> None:
    call.session.add(User(id=77, name="left behind"))


@pytest.mark.parametrize("writes", [delete_users, add_user])
def test_a_handler_that_writes_without_declaring_it_fails_and_writes_nothing(
    make_service: MakeService, writes: Callable[[Call], None]
) -> None:
    service = make_service([doing("one", writes)], raise_crashes=False)

    answers = [service.call("one.do") for _ in range(2)]

    assert [answer.error for answer in answers] == ["INTERNAL_SERVER_ERROR"] * 2
    assert [type(crash) for crash in service.crashes] == [WriteRefused] * 2
    assert users(service) == [1]


def test_statements_of_a_call_see_what_its_session_has_added(make_service: MakeService) -> None:
    found = list[int]()

    def add_and_count(call: Call) -> None:
        before = call.connection  # begins the transaction
        add_user(call)
        assert call.connection is before
        found.append(call.connection.scalar(sa.text("SELECT count(*) FROM landyard_user")) or 0)

    service = make_service([doing("one", add_and_count, writes=True)])
    service.call("one.do")

    assert found == [2]


def test_a_call_whose_caller_was_answered_late_keeps_nothing(
    make_service: MakeService,
) -> None:
    service = make_service([doing("one", add_user, writes=True)])
    request = Request("one.do", credential=Credential("webhook", WEBHOOK, "1"))

    reply = service.kernel.dispatch(request, Deadline(0.0, expired=True))

    assert reply.status == 503
    assert users(service) == [1]
    assert service.crashes == []


class Bringing:
    """The object of `register_hooks` that provides a meter."""

    def __init__(self, meter: object) -> None:
        self._meter = meter

    @hookimpl
    def register_meter(self) -> object:
        return self._meter


def test_a_failing_meter_does_not_fail_the_call() -> None:
    class Away:
        def spend(self, *_: object) -> object:
            raise OSError("no meter")

    meter = saying("meter", register_hooks=hookimpl(lambda: Bringing(Away())))
    with Service([meter]) as service:
        answer = service.call("meter.say")

    assert answer.result == "meter"
    assert answer.body["time"]["operating"] >= 0


def test_a_plugins_meter_counts_all_calls() -> None:
    class Flat:
        def spend(self, credential: str, method: str, seconds: float) -> Operating:
            return Operating(42.0, 600.0)

    meter = saying("meter", register_hooks=hookimpl(lambda: Bringing(Flat())))
    with Service([meter]) as service:
        on = service.call("meter.say").body["time"]

    assert (on["operating"], on["operating_reset_at"]) == (42.0, 600.0)
