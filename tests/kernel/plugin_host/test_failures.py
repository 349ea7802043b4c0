"""Failures are counted with the last reason, and the breaker learns only of hanging methods."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from kernel.switching import doing, saying

from landyard import Call, hookimpl
from landyard.auth.credentials import User
from landyard.core.errors import Busy
from landyard.plugin_host.usage import hour_of, last_hour
from landyard.testing import Service

SOON = 0.5  # seconds, the limit of a call
GREETING = """
import time
from msgspec import Struct
from landyard import Call, MethodGroup, hookimpl

group = MethodGroup(scope="greeting")
slow = {}  # what is to take how long

class Nothing(Struct, frozen=True):
    pass

@group.method("greeting.hello")
def hello(call: Call, params: Nothing) -> str:
    \"\"\"Say hello.\"\"\"
    time.sleep(slow.get("hello", 0))
    return "hello"

@group.method("greeting.bye")
def bye(call: Call, params: Nothing) -> str:
    \"\"\"Say bye.\"\"\"
    return "bye"

@hookimpl
def register_methods():
    return group

@hookimpl
def before_call():
    time.sleep(slow.get("before_call", 0))

@hookimpl
def call_finished():
    time.sleep(slow.get("call_finished", 0))
"""


def greeting() -> Any:
    """A plugin in a module of its own, so that its code is recognised as its own."""
    module = ModuleType("landyard_greeting")
    exec(GREETING, vars(module))
    return module


def counted(service: Service, plugin: str, *methods: str) -> tuple[int, int, str]:
    """The counts of these methods; by default of a plugin with every kind of method."""
    service.kernel.usage.flush(service.kernel.store)
    rows = last_hour(service.kernel.store, service.kernel.now())
    every = (f"{plugin}.{word}" for word in ("do", "say", "hello", "bye"))
    hour = hour_of(rows, *(methods or (f"plugin:{plugin}", *every)))
    return hour.calls, hour.errors, hour.last_error


def fail() -> None:
    raise ZeroDivisionError("it was zero")


def leave() -> None:
    raise SystemExit(3)


def post(service: Service, method: str) -> Any:
    """Call through the threads of a server, which enforce the limit of a call."""
    return service.request("POST", f"/rest/1/test-webhook-0123456789/{method}")


@pytest.mark.parametrize(
    ("does", "reason"),
    [(fail, "ZeroDivisionError: it was zero in one.do"), (leave, "Escaped: SystemExit in one.do")],
)
def test_plain_failures_are_counted_and_open_no_breaker(
    does: Callable[[], None], reason: str
) -> None:
    plugin = doing("one", lambda _: does())
    with Service([plugin], raise_crashes=False) as service:
        answers = {service.call("one.do").error for _ in range(50)}

        assert answers == {"INTERNAL_SERVER_ERROR"}
        assert counted(service, "one") == (50, 50, reason)
        assert service.kernel.breaker.open == {}


def test_refused_and_successful_calls_are_no_failures() -> None:
    with Service([saying("one")]) as service:
        service.call("one.say")
        service.call("no.such")

        assert counted(service, "one") == (1, 0, "")


def test_a_fault_of_the_host_is_no_failure_of_the_plugin() -> None:
    def trouble() -> None:
        raise MemoryError

    with Service([doing("one", lambda _: trouble())], raise_crashes=False) as service:
        service.call("one.do")

        assert counted(service, "one") == (1, 0, "")


@pytest.mark.parametrize("hook", ["before_call", "call_finished"])
def test_a_failing_hook_is_counted_by_its_name(hook: str) -> None:
    plugin = saying("odd", **{hook: hookimpl(fail)})
    with Service([plugin]) as service:
        service.call("odd.say")
        service.kernel.background.close(grace=30)

        assert counted(service, "odd")[1:] == (1, f"ZeroDivisionError: it was zero in hook {hook}")


def test_a_hook_that_finds_the_database_busy_is_no_failure_of_its_plugin() -> None:
    def busy() -> None:
        raise Busy

    with Service([saying("odd", call_finished=hookimpl(busy))]) as service:
        service.call("odd.say")
        service.kernel.background.close(grace=30)

        assert counted(service, "odd")[1:] == (0, "")


# ------------------------------------------------------------------- hanging calls


@pytest.mark.rule("C11", "C13")
def test_C13_a_repeatedly_hanging_method_is_refused_alone() -> None:
    module = greeting()
    module.slow["hello"] = 3 * SOON
    with Service([module], plugins={"seconds": SOON}) as service:
        hung = [post(service, "greeting.hello") for _ in range(3)]
        refused, other = post(service, "greeting.hello"), post(service, "greeting.bye")
        opened = service.kernel.breaker.open
        counts = counted(service, "greeting", "greeting.hello")

    assert {each.status_code for each in hung} == {500}
    assert "ran longer than 0.5 seconds" in hung[0].json()["error_description"]
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
    assert "3 calls ran longer than 0.5 s" in refused.json()["error_description"]
    assert other.json()["result"] == "bye"
    assert list(opened) == ["greeting.hello"]
    assert counts[1:] == (3, "greeting.hello ran longer than 0.5 s")


def test_a_call_that_ends_late_keeps_nothing() -> None:
    def late(call: Call) -> None:
        add_user(call)
        time.sleep(2 * SOON)

    with Service([doing("one", late, writes=True)], plugins={"seconds": SOON}) as service:
        answer = post(service, "one.do")
        service.kernel.process.pools.close(grace=30)  # by now it has come to its end
        with service.kernel.store.session() as session:
            kept = session.scalars(sa.text("SELECT name FROM landyard_user")).all()

    assert "nothing was changed" in answer.json()["error_description"]
    assert kept == ["Admin"]


def test_a_call_that_ends_late_does_not_close_the_breaker() -> None:
    module = greeting()
    module.slow["hello"] = 2 * SOON
    with Service([module], plugins={"seconds": SOON}) as service:
        for _ in range(3):
            post(service, "greeting.hello")
        service.kernel.process.pools.close(grace=30)  # by now all three have come to their end

        assert list(service.kernel.breaker.open) == ["greeting.hello"]


def test_a_refused_or_forbidden_call_does_not_close_the_breaker() -> None:
    with Service([saying("one")]) as service:
        service.kernel.open_breaker("one.say", deaths=3)
        answers = [service.call("one.say").error for _ in range(3)]

    assert answers == ["OVERLOAD_LIMIT"] * 3


@pytest.mark.rule("C13")
def test_C13_a_hanging_deciding_hook_is_an_overload_and_is_named() -> None:
    module = greeting()
    module.slow["before_call"] = 3 * SOON
    with Service([module, saying("other")], plugins={"seconds": SOON}) as service:
        answers = [post(service, "other.say") for _ in range(3)]
        module.slow.clear()
        after = post(service, "other.say")
        counts = counted(service, "greeting")

    assert {answer.json()["error"] for answer in answers} == {"OVERLOAD_LIMIT"}
    assert after.status_code == 200  # the method is not at fault
    assert counts[1:] == (3, "other.say ran longer than 0.5 s")


@pytest.mark.rule("C13")
def test_C13_a_hanging_hook_is_no_hang_of_its_own_plugins_method() -> None:
    module = greeting()
    module.slow["before_call"] = 3 * SOON
    with Service([module], plugins={"seconds": SOON}) as service:
        answers = [post(service, "greeting.bye") for _ in range(3)]
        opened = service.kernel.breaker.open

    assert {answer.json()["error"] for answer in answers} == {"OVERLOAD_LIMIT"}
    assert opened == {}


def test_a_hook_that_hangs_after_the_answer_delays_no_caller() -> None:
    module = greeting()
    module.slow["call_finished"] = 2 * SOON
    with Service([module], plugins={"seconds": SOON}) as service:
        answers = [post(service, "greeting.bye").status_code for _ in range(5)]

    assert answers == [200] * 5


@pytest.mark.parametrize("where", ["its own code", "another plugin's"])
def test_a_method_that_hangs_in_a_librarys_code_is_at_fault(where: str) -> None:
    module = greeting()
    module.slow["hello"] = 2 * SOON

    def do(call: Call) -> None:
        if where == "its own code":
            time.sleep(2 * SOON)
        else:
            module.hello(call, None)

    with Service([doing("one", do), module], plugins={"seconds": SOON}) as service:
        for _ in range(3):
            post(service, "one.do")

        assert list(service.kernel.breaker.open) == ["one.do"]


def test_waiting_for_the_write_lock_is_no_hang() -> None:
    """Another call holds the write lock; the database is one file."""
    with Service([doing("one", add_user, writes=True)], plugins={"seconds": SOON}) as service:
        with service.kernel.store.session(writes=True) as holder:
            holder.execute(sa.text("DELETE FROM landyard_job"))
            answers = [post(service, "one.do") for _ in range(3)]
        after = service.call("one.do")
        service.kernel.usage.flush(service.kernel.store)
        hour = hour_of(last_hour(service.kernel.store, service.kernel.now()), "one", "one.do")

    assert {(each.status_code, each.json()["error"]) for each in answers} == {
        (503, "OVERLOAD_LIMIT")
    }
    assert after.error is None
    assert service.kernel.breaker.open == {}
    assert (hour.calls, hour.errors) == (4, 0)


def test_a_call_whose_time_passed_while_others_wrote_has_not_hung() -> None:
    """It got the write lock late and was at its own work when its time was up."""

    def do(call: Call) -> None:
        add_user(call)
        time.sleep(2 * SOON)

    with Service([doing("one", do, writes=True)], plugins={"seconds": SOON}) as service:
        with ThreadPoolExecutor() as pool:
            with service.kernel.store.session(writes=True) as holder:
                holder.execute(sa.text("DELETE FROM landyard_job"))
                answer = pool.submit(post, service, "one.do")
                while service.kernel.store.write_lock.waiting_since is None:
                    time.sleep(0.01)
                time.sleep(0.8 * SOON)
            cut = answer.result()

        assert (cut.status_code, cut.json()["error"]) == (503, "OVERLOAD_LIMIT")
        assert last_hour(service.kernel.store, service.kernel.now()) == {}


def add_user(call: Call) -> None:
    call.session.add(User(name="another"))
    call.session.flush()
