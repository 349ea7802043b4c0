"""Routes: the pages of the plugins that are on, and the kernel's own addresses."""

import asyncio
import threading
import time
from typing import Any

import pytest
from kernel.switching import reason, saying, states, turn
from litestar import get

from landyard import Host, Kernel, Plugin, hookimpl
from landyard.testing import Service
from landyard.web import probes


def paged(name: str, path: str) -> Plugin:
    """A plugin with a page."""

    @hookimpl
    def register_routes(host: Host) -> list[Any]:
        @get(path)
        def page() -> str:
            return name

        return [page]

    return saying(name, register_routes=register_routes)


def test_the_second_plugin_with_a_page_fails_until_it_is_enabled_without_the_first() -> None:
    with Service([paged("first", "/page"), paged("second", "/page")], strict=False) as service:
        shown = service.get("/page").text
        together = states(service.kernel), reason(service.kernel, "second")
        turn(service.kernel, "first", is_on=False)
        turn(service.kernel, "second", is_on=True)
        service.kernel.lifecycle.refresh()

        assert shown == "first"
        assert together[0] == {"first": "enabled", "second": "failed"}
        assert "its routes cannot be used" in together[1]
        assert states(service.kernel) == {"first": "disabled", "second": "enabled"}
        assert service.get("/page").text == "second"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_no_plugin_may_have_the_kernels_own_addresses(path: str) -> None:
    with Service([paged("first", path), saying("second")], strict=False) as service:
        service.get("/healthz")

        assert states(service.kernel) == {"first": "failed", "second": "enabled"}


def test_routes_that_cannot_be_built_fail_their_plugin_alone() -> None:
    @hookimpl
    def register_routes(host: Host) -> list[Any]:
        raise SystemExit

    plugins = [saying("bad", register_routes=register_routes), paged("good", "/page")]
    with Service(plugins, strict=False) as service:
        assert service.get("/page").text == "good"
        assert states(service.kernel) == {"bad": "failed", "good": "enabled"}
        assert "register_routes" in reason(service.kernel, "bad")


def test_the_pages_are_those_of_the_plugins_that_are_on() -> None:
    names = ["a", "b"]
    with Service([paged(name, f"/{name}") for name in names]) as service:
        for number in [0, 1, 2, 3, 0]:
            on = {name: bool(number & 1 << bit) for bit, name in enumerate(names)}
            for name, is_on in on.items():
                turn(service.kernel, name, is_on=is_on)
            service.kernel.lifecycle.refresh()

            assert {name: service.get(f"/{name}").is_success for name in names} == on


def test_a_hanging_database_makes_the_service_not_ready_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on = threading.Event()

    def ping(_kernel: Kernel) -> None:
        goes_on.wait(20)

    async def several(app: Any) -> list[int]:
        messages: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                messages.append(message["status"])

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        scope = {"type": "http", "method": "GET", "path": "/readyz", "raw_path": b"/readyz"}
        more: dict[str, Any] = {"query_string": b"", "headers": [], "client": None, "root_path": ""}
        await asyncio.gather(*[app({**scope, **more}, receive, send) for _ in range(5)])
        goes_on.set()
        return messages

    monkeypatch.setattr(probes, "_ping", ping)
    monkeypatch.setattr(probes, "READY_WITHIN", 0.2)
    with Service([]) as service:
        began = time.monotonic()

        assert asyncio.run(several(service.web_app)) == [503] * 5
        assert time.monotonic() - began < 10


def test_readyz_reports_that_the_database_is_gone() -> None:
    with Service([saying("one")]) as service:
        assert service.get("/readyz").status_code == 200
        file = service.kernel.settings.data / "landyard.db"

        moved = file.rename(file.with_name("moved.db"))
        assert service.get("/readyz").status_code == 503

        moved.rename(file)
        assert service.get("/readyz").status_code == 200
