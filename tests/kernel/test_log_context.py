"""Every log event of a failure names the plugin, method and request it is about."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import structlog
from conftest import MakeService
from kernel.sample import Brings, Nothing
from kernel.serving.jobs import run_due
from kernel.supervised import until
from litestar import get
from structlog.testing import capture_logs

from landyard import Call, Host, Job, MethodGroup, Plugin, hookimpl
from landyard.logs import about, add_about
from landyard.testing import WEBHOOK, Service

log = structlog.get_logger()


class Failing(Brings):
    """Logs and fails wherever a plugin may."""

    def __init__(self) -> None:
        group = MethodGroup(scope="sample")
        super().__init__(group)

        @group.method("sample.works")
        def works(call: Call, params: Nothing) -> bool:
            """Log something."""
            log.warning("handler_logged")
            return True

        @group.method("sample.undone", writes=True)
        def undone(call: Call, params: Nothing) -> bool:
            """Fail after the commit."""
            call.on_commit(fail)
            return bool(call.connection)

        @group.method("sample.hangs", seconds=0.2)
        def hangs(call: Call, params: Nothing) -> bool:
            """Work for longer than its limit."""
            until(lambda: call._running.deadline.expired)
            return True

    @hookimpl
    def register_routes(self, host: Host) -> list[object]:
        @get("/page")
        def page() -> str:
            log.warning("page_logged")
            raise ZeroDivisionError

        return [page]

    @hookimpl
    def register_jobs(self) -> list[Job]:
        return [Job("sample.job", timedelta(hours=1), lambda _: log.warning("job_logged"))]


class Watching:
    """Another plugin, whose hooks fail."""

    @hookimpl
    def before_call(self) -> None:
        if self.decides:
            fail()

    @hookimpl
    def call_finished(self) -> None:
        if not self.decides:
            fail()

    decides = False


def fail() -> None:
    raise ZeroDivisionError


@pytest.fixture
def service(make_service: MakeService) -> Iterator[Service]:
    yield make_service(
        [Plugin("sample", Failing()), Plugin("watching", Watching())], raise_crashes=False
    )
    Watching.decides = False


def called(service: Service, method: str, event: str) -> dict[str, Any]:
    """Call a method as a server does, and return the resulting event."""
    with capture_logs([add_about]) as logs:
        headers = {"x-request-id": "under-this-id"}
        service.request("POST", f"/rest/1/{WEBHOOK}/{method}", headers=headers)

        def found() -> list[Any]:
            return [each for each in logs if each["event"] == event]

        (told,) = until(found, logs)
    return {name: told.get(name) for name in ("request_id", "plugin", "method")}


@pytest.mark.parametrize(
    ("method", "event"),
    [
        ("works", "handler_logged"),
        ("undone", "unit_action_failed"),
        ("hangs", "call_overran"),
    ],
)
def test_events_of_a_call_name_it(service: Service, method: str, event: str) -> None:
    method = f"sample.{method}"

    assert called(service, method, event) == {
        "request_id": "under-this-id",
        "plugin": "sample",
        "method": method,
    }


@pytest.mark.parametrize("decides", [True, False])
def test_the_event_of_a_failing_hook_names_its_plugin_and_the_call(
    service: Service, decides: bool
) -> None:
    Watching.decides = decides

    assert called(service, "sample.works", "hook_failed") == {
        "request_id": "under-this-id",
        "plugin": "watching",
        "method": "sample.works",
    }


def test_the_event_of_a_refused_request_names_its_method(service: Service) -> None:
    with capture_logs([add_about]) as logs:
        service.request("PUT", f"/rest/1/{WEBHOOK}/sample.works")

    (event,) = [each for each in logs if each["event"] == "request_refused"]
    assert (event["plugin"], event["method"]) == ("sample", "sample.works")


def test_the_event_of_a_crashed_page_names_its_plugin_and_request(service: Service) -> None:
    with capture_logs([add_about]) as logs:
        request_id = service.get("/page").headers["x-request-id"]

    told = {each["event"]: each for each in logs}
    for event in ("page_logged", "page_crashed"):
        assert told[event]["request_id"] == request_id
        assert (told[event]["plugin"], told[event]["page"]) == ("sample", "/page")
    assert told["page_served"]["request_id"] == request_id


def test_events_of_a_job_name_it(service: Service) -> None:
    with capture_logs([add_about]) as logs:
        run_due(service.kernel)

    (event,) = [each for each in logs if each["event"] == "job_logged"]
    assert (event["plugin"], event["job"]) == ("sample", "sample.job")


def test_an_event_may_name_its_subject_itself() -> None:
    about.set({"plugin": "one", "request_id": "1"})
    event = add_about(None, "info", {"event": "hook_failed", "plugin": "two"})
    about.set({})

    assert event == {"event": "hook_failed", "plugin": "two", "request_id": "1"}
