"""Hooks around a call: deciding hooks, observing hooks, and the effects of their failures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.switching import doing, saying
from msgspec import Raw
from structlog.testing import capture_logs

from landyard import (
    Actor,
    Answered,
    Call,
    CallError,
    CallOption,
    InvalidCredentials,
    Kernel,
    Method,
    Plugin,
    Prepared,
    Request,
    Result,
    Write,
    hookimpl,
)
from landyard.auth.credentials import USER, User
from landyard.core.errors import QueryLimitExceeded
from landyard.plugin_host.switches import write_switch
from landyard.testing import Answer, Service
from landyard.web.wire import Incoming

NOON = datetime(2026, 3, 26, 12, tzinfo=UTC)
STRANGERS = "strangers-webhook-0123456789"
STRANGE = Incoming("POST", f"/7/{STRANGERS}/sample.say")


class Closed(CallError):
    code = "CLOSED"
    system = True
    status = 423


class Hooked:
    """A plugin's module: what a test puts on it."""


def hooked(name: str, **hooks: Callable[..., Any]) -> Plugin:
    module = Hooked()
    vars(module).update({hook: hookimpl(does) for hook, does in hooks.items()})
    return Plugin(name, module, "hooks", "1.0")


def users(service: Service) -> list[str]:
    query = sa.text("SELECT name FROM landyard_user ORDER BY id")
    with service.kernel.store.session() as session:
        return list(session.scalars(query))


def add_user(call: Call) -> None:
    call.session.add(User(id=77, name="of the handler"))
    call.session.flush()


# ------------------------------------------------------------------- before a call


def test_before_call_is_told_who_calls_what() -> None:
    seen: list[tuple[str, int, str | None]] = []

    def before_call(request: Request, actor: Actor, method: Method | None) -> None:
        seen.append((request.method, actor.user_id, method.name if method else None))

    with Service([saying("sample"), hooked("limits", before_call=before_call)]) as service:
        service.call("SAMPLE.Say")
        service.call("no.such")

    assert seen == [("SAMPLE.Say", 1, "sample.say"), ("no.such", 1, None)]


def test_before_call_that_has_answered_not_again_is_asked_when_something_was_switched() -> None:
    asked: list[str] = []

    def before_call(request: Request) -> str | None:
        asked.append(request.method)
        return "not again" if request.method == "sample.say" else None

    def others() -> None:
        asked.append("another plugin")

    plugins = [saying("sample"), hooked("one", before_call=before_call)]
    with Service([*plugins, hooked("two", before_call=others)]) as service:
        for method in ("no.such", "sample.say", "sample.say"):
            service.call(method)
        with service.kernel.store.unit(writes=True) as unit:
            write_switch(unit.connection, "two", is_on=False, at=NOON, by="a")
        service.kernel.lifecycle.refresh()
        for _ in range(2):
            service.call("sample.say")

    before, after = asked[:-1], asked[-1]
    assert before == ["no.such", "another plugin", "sample.say", *["another plugin"] * 2]
    assert after == "sample.say"


def test_before_call_refuses_before_the_scope_and_the_parameters_are_looked_at() -> None:
    def before_call() -> None:
        raise QueryLimitExceeded(retry_after=7)

    world = {"users": [{"id": 1}], "webhooks": [{"user": 1, "code": STRANGERS, "scopes": []}]}
    plugins = [saying("sample"), hooked("limits", before_call=before_call)]
    with Service(plugins, world=world) as service:
        sent = Incoming("POST", f"/1/{STRANGERS}/sample.say")

        assert service.send(sent).error == "QUERY_LIMIT_EXCEEDED"


# ---------------------------------------------------------- at the begin of a call


def asking(service: Service) -> Answer:
    return service.call("one.do", dry_run=True)


def beginning(does: Callable[..., Any]) -> list[Plugin]:
    def register_call_options() -> list[CallOption]:
        return [CallOption("dry_run", flag=True, rolls_back=True)]

    hooks = {"begin_call": does, "register_call_options": register_call_options}
    trying = hooked("trying", **hooks)
    trying.module.call_options = ("dry_run",)
    return [doing("one", add_user, writes=True), trying]


def test_begin_call_sees_to_an_option_and_may_answer_in_place_of_keeping() -> None:
    def begin_call(call: Call, method: Method) -> dict[str, Any]:
        def end(result: Result) -> Result:
            seen.append((call.rolls_back, method.name, bytes(result.body)))  # type: ignore[arg-type]
            raise Answered(Result(Raw(b'"tried"')))

        return {"dry_run": end}

    seen: list[tuple[bool, str, bytes]] = []
    with Service(beginning(begin_call)) as service:
        assert asking(service).result == "tried"
        assert len(users(service)) == 1
        assert service.call("one.do", dry_run="no").error is None

    assert seen == [(True, "one.do", b'"one"')]


@pytest.mark.parametrize(
    ("answered", "error"), [({}, "INVALID_REQUEST"), ([1], "OVERLOAD_LIMIT"), (Closed, "CLOSED")]
)
def test_an_option_that_nobody_sees_to_has_the_call_refused(answered: Any, error: str) -> None:
    def begin_call() -> Any:
        if answered is Closed:
            raise Closed
        return answered

    with Service(beginning(begin_call), raise_crashes=False) as service:
        assert asking(service).error == error
        assert len(users(service)) == 1


# ---------------------------------------------------------------- before a commit


def write_beside(call: Call, seconds: float) -> None:
    name = f"{call.method}, {call.subject}, {seconds < 60}"
    call.connection.execute(
        sa.text(
            "INSERT INTO landyard_user (id, name, admin, active) VALUES (78, :n, false, false)"
        ),
        {"n": name},
    )


def test_what_before_commit_writes_stands_with_the_call(make_service: MakeService) -> None:
    def concerned(call: Call) -> None:
        add_user(call)
        call.subject = "user:77"

    plugins = [
        doing("one", concerned, writes=True),
        hooked("audit", before_commit=write_beside),
    ]
    service = make_service(plugins)

    assert service.call("one.do").error is None
    assert users(service)[1:] == ["of the handler", "one.do, user:77, True"]


def test_what_before_commit_writes_falls_with_the_call(make_service: MakeService) -> None:
    def refuse() -> None:
        raise Closed

    plugins = [
        doing("one", add_user, writes=True),
        hooked("audit", before_commit=write_beside),
        hooked("closing", before_commit=refuse),
    ]
    service = make_service(plugins)

    assert service.call("one.do").error == "CLOSED"
    assert len(users(service)) == 1


def write_of(name: str, number: int) -> Write:
    row = {"id": number, "name": f"of {name}", "admin": False, "active": True}
    add = sa.insert(USER).values({each: sa.bindparam(f"{name}_{each}") for each in row})
    return Prepared(add), {f"{name}_{each}": value for each, value in row.items()}


def test_what_before_commit_answers_is_written_with_that_of_others(
    make_service: MakeService,
) -> None:
    plugins = [
        doing("one", add_user, writes=True),
        hooked("first", before_commit=lambda: [write_of("first", 78)]),
        hooked("silent", before_commit=lambda: None),
        hooked("second", before_commit=lambda: [write_of("second", 79)]),
    ]
    service = make_service(plugins)

    assert service.call("one.do").error is None
    assert users(service)[1:] == ["of the handler", "of first", "of second"]


@pytest.mark.parametrize("answer", [True, ["a word"], [write_of("twice", 77)]])
def test_what_before_commit_answers_wrongly_is_the_hooks_failure(
    make_service: MakeService, answer: Any
) -> None:
    plugins = [doing("one", add_user, writes=True), hooked("wrong", before_commit=lambda: answer)]
    service = make_service(plugins)

    with capture_logs() as logs:
        answered = service.call("one.do")

    assert answered.error == "OVERLOAD_LIMIT"
    assert len(users(service)) == 1
    assert [each["plugin"] for each in logs if each["event"] == "hook_failed"] == ["wrong"]


def test_before_commit_is_not_called_for_calls_that_read_or_fail() -> None:
    seen: list[str] = []

    plugins = [
        saying("sample"),
        doing("one", lambda _: fail(), writes=True),
        hooked("audit", before_commit=lambda call: seen.append(call.method)),
    ]
    with Service(plugins, raise_crashes=False) as service:
        service.call("sample.say")
        service.call("one.do")

    assert seen == []


def test_before_commit_comes_once_with_the_first_that_is_committed() -> None:
    seen: list[int] = []

    def in_steps(call: Call) -> None:
        call.transaction(lambda _: None)
        for _ in range(3):
            call.transaction(add_one, writes=True)

    def add_one(call: Call) -> None:
        call.session.add(User(name="another"))

    def before_commit(call: Call) -> None:
        seen.append(len(call.session.execute(sa.text("SELECT id FROM landyard_user")).all()))

    plugins = [doing("one", in_steps), hooked("audit", before_commit=before_commit)]
    with Service(plugins) as service:
        service.result("one.do")

    assert seen == [2]  # the first was flushed, and is about to be committed


# ------------------------------------------------------------- look-up of credentials


def test_guard_authentication_surrounds_the_look_up_of_what_is_not_remembered() -> None:
    seen: list[str] = []

    @contextmanager
    def guard(address: str) -> Iterator[None]:
        seen.append(f"in from {address}")
        try:
            yield
        except InvalidCredentials:
            seen.append("refused")
            raise
        seen.append("let in")

    with Service([saying("sample"), hooked("guesses", guard_authentication=guard)]) as service:
        known = Incoming("POST", "/1/test-webhook-0123456789/sample.say", address="10.0.0.1")
        unknown = Incoming("POST", f"/1/{STRANGERS}/sample.say", address="10.0.0.2")
        for sent in (known, known, unknown, unknown):
            service.send(sent)

    wrong = ["in from 10.0.0.2", "refused"]
    assert seen == ["in from 10.0.0.1", "let in", *wrong, *wrong]


# ------------------------------------------------------------------ hooks that fail


def fail() -> None:
    raise ZeroDivisionError("internals")


def leave() -> None:
    raise SystemExit(3)


@pytest.mark.rule("C11", "C13")
@pytest.mark.parametrize("does", [fail, leave])
@pytest.mark.parametrize("hook", ["guard_authentication", "authenticate", "before_call"])
def test_C13_a_deciding_hook_that_fails_is_an_overload_for_that_call(
    hook: str, does: Callable[..., None]
) -> None:
    plugins = [saying("sample"), hooked("broken", **{hook: does})]
    with Service(plugins) as service, capture_logs() as logs:
        answer = service.send(STRANGE if hook != "before_call" else known("sample.say"))

    assert (answer.status, answer.error) == (503, "OVERLOAD_LIMIT")
    assert "internals" not in str(answer.body)
    logged = [(log["plugin"], log["hook"]) for log in logs if log["event"] == "hook_failed"]
    assert logged == [("broken", hook)]
    assert service.crashes == []


def known(method: str) -> Incoming:
    return Incoming("POST", f"/1/test-webhook-0123456789/{method}")


@pytest.mark.rule("C1", "C13")
@pytest.mark.parametrize("does", [fail, leave])
def test_C13_a_write_beside_a_call_that_fails_takes_the_call_with_it(
    make_service: MakeService, does: Callable[..., None]
) -> None:
    plugins = [
        doing("one", add_user, writes=True),
        saying("two"),
        hooked("audit", before_commit=does),
    ]
    service = make_service(plugins)

    assert service.call("one.do").error == "OVERLOAD_LIMIT"
    assert service.call("two.say").error is None  # which commits nothing
    assert len(users(service)) == 1


@pytest.mark.rule("C11")
def test_C11_a_hook_that_fails_keeps_nobody_out_whom_the_kernel_knows() -> None:
    with Service([saying("sample"), hooked("broken", authenticate=fail)]) as service:
        assert service.call("sample.say").error is None


# ---------------------------------------------------------------- after the answer


class Seen:
    """Records the arguments of `call_finished`, which runs after the answer."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def plugin(self, name: str = "observer") -> Plugin:
        def call_finished(  # noqa: PLR0917 - as the hook is documented
            request: Request,
            actor: Actor | None,
            method: Method | None,
            reply: Any,
            crash: BaseException | None,
            subject: str,
            seconds: float,
        ) -> None:
            who = actor.user_id if actor else None
            what = method.name if method else None
            kind = type(crash).__name__ if crash else ""
            self.told.append((request.method, who, what, reply.status, kind, subject, seconds > 0))

        return hooked(name, call_finished=call_finished)


def test_call_finished_is_told_how_far_a_call_came() -> None:
    def concerned(call: Call) -> None:
        call.subject = "page:10"

    seen = Seen()
    plugins = [doing("one", concerned), doing("two", lambda _: fail()), seen.plugin()]
    with Service(plugins, raise_crashes=False) as service:
        for method in ("one.do", "two.do", "no.such"):
            service.call(method)
        service.send(Incoming("POST", f"/1/{STRANGERS}/one.do"))

    assert seen.told == [
        ("one.do", 1, "one.do", 200, "", "page:10", True),
        ("two.do", 1, "two.do", 500, "ZeroDivisionError", "", True),
        ("no.such", 1, None, 404, "", "", False),
        ("one.do", None, None, 401, "", "", False),
    ]


@pytest.mark.parametrize("does", [fail, leave])
def test_an_observer_that_fails_changes_no_answer_and_stops_no_other(
    does: Callable[..., None],
) -> None:
    first, last = Seen(), Seen()
    plugins = [
        saying("sample"),
        first.plugin("a"),
        hooked("b", call_finished=does),
        last.plugin("c"),
    ]
    with capture_logs() as logs, Service(plugins) as service:
        answers = [service.call("sample.say").error for _ in range(4)]

    assert answers == [None] * 4
    assert len(first.told) == len(last.told) == 4
    assert sum(log["event"] == "hook_failed" for log in logs) == 4


# --------------------------------------------------------- hooks that keep something


class Counting:
    """Hooks with a memory of their own, one for each kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.calls = 0
        self.closed = False

    @hookimpl
    def before_call(self) -> None:
        self.calls += 1

    def close(self) -> None:
        self.closed = True


def counting(name: str, made: list[Counting]) -> Plugin:
    def register_hooks(host: Kernel) -> Counting:
        made.append(Counting(host))
        return made[-1]

    return hooked(name, register_hooks=register_hooks)


def test_register_hooks_brings_an_object_for_each_kernel_which_is_closed_with_it() -> None:
    made: list[Counting] = []
    plugins = [saying("sample"), counting("counting", made)]
    with Service(plugins) as one, Service(plugins) as other:
        for service in (one, one, other):
            service.call("sample.say")
        kernels = [one.kernel, other.kernel]
        open_ones = [each.closed for each in made]

    assert [each.kernel for each in made] == kernels
    assert [each.calls for each in made] == [2, 1]
    assert (open_ones, [each.closed for each in made]) == ([False] * 2, [True] * 2)


def test_one_that_fails_to_close_keeps_no_other_open() -> None:
    class Sticking:
        def close(self) -> None:
            raise SystemExit(3)

    made: list[Counting] = []
    plugins = [
        hooked("a", register_hooks=lambda: Sticking()),  # noqa: PLW0108 - a class is no hook
        counting("b", made),
    ]
    with capture_logs() as logs, Service(plugins):
        pass

    assert [each.closed for each in made] == [True]
    assert [log["plugin"] for log in logs if log["event"] == "close_failed"] == ["a"]
