"""Quick methods: answered on the event loop, and in a thread where the call has to wait."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, CallOption, MethodGroup, Plugin, hookimpl
from landyard.testing import WEBHOOK, Service
from landyard.web.call_endpoint import LITTLE

POOLED = "landyard-call"
"""The name of a thread of the pools."""


class Asked(Struct, frozen=True):
    """Parameters that end a process where they are wrong."""

    ends: bool = False

    def __post_init__(self) -> None:
        if self.ends:
            raise SystemExit(3)


class Quick:
    """A plugin with a quick method, and where it was run."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.scoreboard: Callable[[], object] = list
        self.fails = False
        self.asks = False

    @property
    def at_once(self) -> bool:
        """Whether the last call was answered on the event loop."""
        return self.threads[-1] != POOLED

    def plugin(self, **brought: Any) -> Plugin:
        group = MethodGroup(scope="sample")

        @group.method("sample.quick", quick=True)
        def quick(call: Call, params: Asked) -> object:
            """Answer what the scoreboard shows."""
            if self.asks:
                call.connection.execute(sa.text("SELECT 1")).scalar_one()
            self.threads.append(threading.current_thread().name)
            if self.fails:
                raise SystemExit(3)
            return self.scoreboard()

        module = Brings(group)
        vars(module).update(brought)
        return Plugin("sample", module, "samples", "1.0")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Quick:
    monkeypatch.setattr("landyard.auth.cache.REMEMBERED_FOR", 600.0)  # however slow the machine is
    return Quick()


@pytest.fixture
def service(quick: Quick) -> Iterator[Service]:
    with Service([quick.plugin()], raise_crashes=False) as service:
        quick.scoreboard = service.kernel.process.scoreboard.calls
        yield service


def ask(service: Service, body: bytes = b"{}", identity: str = "", query: str = "") -> Any:
    sent = {"content-type": "application/json", "x-request-id": identity}
    path = f"/rest/1/{WEBHOOK}/sample.quick{query}"
    return service.request("POST", path, content=body, headers=sent)


def test_a_credential_is_looked_up_in_a_thread_and_known_then(
    service: Service, quick: Quick
) -> None:
    answers = [ask(service).status_code for _ in range(3)]

    assert answers == [200] * 3
    assert [each == POOLED for each in quick.threads] == [True, False, False]


def test_it_is_on_the_board_while_it_runs(service: Service, quick: Quick) -> None:
    ask(service)
    while service.kernel.process.scoreboard.calls():  # its thread has one thing left to do
        time.sleep(0.01)
    answer = ask(service, identity="this-one")

    assert quick.at_once
    assert answer.json()["result"] == [["sample.quick", "this-one"]]
    assert service.kernel.process.scoreboard.calls() == []


@pytest.mark.parametrize(
    ("body", "query"),
    [(b'{"a":"' + b"b" * LITTLE + b'"}', ""), (b"{}", "?a=" + "b" * LITTLE)],
    ids=["body", "query"],
)
def test_what_is_not_little_is_read_in_a_thread(
    service: Service, quick: Quick, body: bytes, query: str
) -> None:
    ask(service)
    ask(service, body, query=query)

    assert quick.threads == [POOLED] * 2


def test_what_it_raises_is_told_and_stops_no_loop(service: Service, quick: Quick) -> None:
    ask(service)
    quick.fails = True
    crashed = ask(service)
    quick.fails = False

    assert quick.at_once
    assert (crashed.status_code, crashed.json()["error"]) == (500, "INTERNAL_SERVER_ERROR")
    assert ask(service).status_code == 200


def test_one_that_asks_the_database_is_run_in_a_thread(service: Service, quick: Quick) -> None:
    quick.asks = True
    answers = [ask(service).status_code for _ in range(3)]

    assert answers == [200] * 3
    assert quick.threads == [POOLED] * 3


def test_what_would_end_the_process_stops_no_loop_either(service: Service, quick: Quick) -> None:
    ask(service)
    ended = ask(service, b'{"ends": true}')

    assert (ended.status_code, ended.json()["error"]) == (500, "INTERNAL_SERVER_ERROR")
    assert ask(service).status_code == 200
    assert quick.at_once


def test_a_quick_method_reads(quick: Quick) -> None:
    group = MethodGroup()
    for more in ({"writes": True}, {"slow": True}, {"seconds": 1.0}):
        with pytest.raises(ValueError, match="a quick one reads"):
            group.method("sample.quick", quick=True, **more)


def test_a_wrong_credential_is_refused_as_ever(service: Service) -> None:
    refused = service.request("POST", "/rest/1/wrong-webhook-0123456789/sample.quick")

    assert (refused.status_code, refused.json()["error"]) == (401, "INVALID_CREDENTIALS")


def before_call() -> None:
    """Ask, say, the database."""


def begin_call(call: Call) -> dict[str, Any]:
    return {each: lambda done: done for each in call.request.options}


OPTION = {
    "begin_call": hookimpl(begin_call),
    "call_options": ("dry_run",),
    "register_call_options": hookimpl(lambda: [CallOption("dry_run")]),
}


@pytest.mark.parametrize(
    ("brought", "sent"),
    [
        ({"before_call": hookimpl(before_call)}, b"{}"),
        (OPTION, b'{"dry_run": 1}'),
    ],
    ids=["a hook", "an option"],
)
def test_where_a_plugin_takes_part_it_is_run_in_a_thread(
    quick: Quick, brought: dict[str, Any], sent: bytes
) -> None:
    with Service([quick.plugin(**brought)]) as service:
        answers = [ask(service, sent).status_code for _ in range(2)]

    assert answers == [200] * 2
    assert quick.threads == [POOLED] * 2
