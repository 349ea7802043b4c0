"""`landyard.testing`: the service for authors' tests checks results, crashes and
failures.
"""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
from kernel.sample import Brings
from litestar import get
from msgspec import Struct

from landyard import (
    Call,
    Job,
    Kernel,
    MethodGroup,
    Paged,
    Plugin,
    PluginError,
    hookimpl,
)
from landyard.testing import WEBHOOK, Service, WrongResult, misfit

NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)


class Nothing(Struct, frozen=True):
    pass


class Point(Struct, frozen=True):
    x: int
    y: int = 0


def answers(kind: Any, result: Any) -> Plugin:
    """A plugin with one method, which is annotated to return `kind` and returns `result`."""
    group = MethodGroup(scope="odd")

    def answer(call: Call, params: Nothing) -> Any:
        """Return the prepared result."""
        if isinstance(result, Exception):
            raise result
        return result

    answer.__annotations__["return"] = kind
    group.method("odd.answer")(answer)
    return Plugin("odd", Brings(group))


RIGHT = {
    "text": (str, "x"),
    "number for a float": (float, 1),
    "struct": (Point, Point(1)),
    "mapping for a struct": (Point, {"x": 1}),
    "moment": (datetime, NOON),
    "nothing": (type(None), None),
    "page": (Paged[Point], Paged([Point(1)], next=1, total=2)),
    "anything": (Any, [1, "x"]),
}
WRONG = {
    "text for a number": (int, "1"),
    "number for a boolean": (bool, 1),
    "nothing for a text": (str, None),
    "one of many": (list[int], [1, "2"]),
    "a field that is not there": (Point, {"y": 1}),
    "a page of other things": (Paged[Point], Paged(["x"])),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_result_of_the_declared_type_is_returned(case: str) -> None:
    with Service([answers(*RIGHT[case])]) as service:
        assert service.call("odd.answer").error is None


@pytest.mark.parametrize("case", WRONG)
def test_a_result_of_another_type_fails_the_test(case: str) -> None:
    with (
        Service([answers(*WRONG[case])]) as service,
        pytest.raises(WrongResult, match=r"odd\.answer"),
    ):
        service.call("odd.answer")


def test_a_type_that_msgspec_cannot_read_is_not_checked() -> None:
    # msgspec reads no union of two Structs without tags.
    assert misfit({"x": 1}, Point | Nothing) == ""


def test_a_crash_can_be_answered_instead_of_raised() -> None:
    with Service([answers(str, ZeroDivisionError())], raise_crashes=False) as service:
        answer = service.call("odd.answer")

    assert answer.error == "INTERNAL_SERVER_ERROR"
    assert [type(crash) for crash in service.crashes] == [ZeroDivisionError]


def test_an_exception_in_a_page_fails_the_test() -> None:
    @get("/broken")
    def broken() -> str:
        raise ZeroDivisionError

    class Paged(Brings):
        @hookimpl
        def register_routes(self) -> list[object]:
            return [broken]

    with Service([Plugin("paged", Paged(MethodGroup()))]) as service:
        with pytest.raises(ZeroDivisionError):
            service.get("/broken")
        assert service.get("/not/there").status_code == 404


def test_a_module_is_a_plugin_by_the_name_of_its_package() -> None:
    module = ModuleType("landyard_odd")
    vars(module)["register_methods"] = answers(str, "x").module.register_methods
    with Service([module]) as service:
        assert service.result("odd.answer") == "x"
        assert [each.plugin.name for each in service.kernel.resolution.contributions] == ["odd"]


class Forgets(Brings):
    """A plugin with a job that records the time of its run."""

    def __init__(self) -> None:
        super().__init__(MethodGroup())
        self.done: list[datetime] = []

    @hookimpl
    def register_jobs(self) -> list[Job]:
        return [Job("odd.forget", timedelta(hours=1), self._forget)]

    def _forget(self, kernel: Kernel) -> None:
        self.done.append(kernel.now())


def test_the_clock_is_moved_and_jobs_come_due() -> None:
    plugin = Forgets()
    with Service([Plugin("odd", plugin)], now=NOON) as service:
        service.run_jobs()
        service.later(minutes=59)
        service.run_jobs()
        moment = service.later(minutes=1)
        service.run_jobs()

    assert moment == NOON + timedelta(hours=1)
    assert plugin.done == [NOON, moment]


def test_a_world_adds_its_own_users() -> None:
    world = {
        "users": [{"id": 7, "name": "Ben"}],
        "webhooks": [{"user": 7, "code": WEBHOOK, "scopes": ["odd"]}],
    }
    with Service([answers(str, "x")], world=world) as service:
        assert service.result("odd.answer", user=7) == "x"
        assert service.call("odd.answer", user=1).error == "INVALID_CREDENTIALS"


class Broken:
    @hookimpl
    def register_methods(self) -> int:
        return 7


def test_a_plugin_that_does_not_start_fails_the_test() -> None:
    with pytest.raises(PluginError, match="odd"):
        Service([Plugin("odd", Broken())])


def test_a_plugin_that_does_not_start_is_failed_in_a_lenient_service() -> None:
    with Service([Plugin("odd", Broken())], strict=False) as service:
        states = {state.name: state.state for state in service.kernel.resolution.states}

    assert states["odd"] == "failed"


def test_the_module_needs_no_test_runner() -> None:
    code = (
        "import landyard.testing, sys; sys.exit('pytest' in sys.modules or 'httpx' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
