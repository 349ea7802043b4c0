"""The site: pages of the plugins that are on, and what becomes of those that break."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from kernel.switching import reason, saying, states, turn
from litestar import get

from landyard import Kernel, Plugin, hookimpl
from landyard.testing import Service

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)


def paged(name: str, path: str, does: Any = None) -> Plugin:
    """A plugin with a page."""

    @hookimpl
    def register_routes(kernel: Kernel) -> list[Any]:
        @get(path, sync_to_thread=False)
        def page() -> str:
            if does is not None:
                does()
            return name

        return [page]

    return saying(name, register_routes=register_routes)


def test_of_two_with_the_same_page_the_second_fails_until_it_is_enabled_without_the_first() -> None:
    with Service([paged("first", "/page"), paged("second", "/page")], strict=False) as service:
        shown = service.get("/page").text
        together = states(service.kernel), reason(service.kernel, "second")
        turn(service.kernel, "first", is_on=False)
        turn(service.kernel, "second", is_on=True)
        service.kernel.refresh()

        assert shown == "first"
        assert together[0] == {"first": "enabled", "second": "failed"}
        assert "its routes cannot be used" in together[1]
        assert states(service.kernel) == {"first": "disabled", "second": "enabled"}
        assert service.get("/page").text == "second"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json", "/-/explorer"])
def test_the_kernels_own_addresses_are_nobody_elses(path: str) -> None:
    with Service([paged("first", path), saying("second")], strict=False) as service:
        service.get("/healthz")

        assert states(service.kernel) == {"first": "failed", "second": "enabled"}


def test_routes_that_never_come_fail_in_time_and_the_rest_is_there() -> None:
    @hookimpl
    def register_routes(kernel: Kernel) -> list[Any]:
        time.sleep(60)
        return []

    plugins = [saying("slow", register_routes=register_routes), paged("good", "/page")]
    with Service(plugins, strict=False, plugins={"import_seconds": 0.3}) as service:
        assert service.get("/page").text == "good"
        assert states(service.kernel) == {"slow": "failed", "good": "enabled"}
        assert "plugins.import_seconds" in reason(service.kernel, "slow")


def test_pages_rest_with_their_plugin_and_one_is_its_probe() -> None:
    broken = [True]

    def break_down() -> None:
        if broken[0]:
            raise ZeroDivisionError

    rules = {"faults": 2, "pause": 10.0}
    plugins = [paged("bad", "/bad", break_down), paged("good", "/good")]
    with Service(plugins, now=NOW, plugins=rules) as service:
        crashes = [service.get("/bad").status_code for _ in range(2)]
        resting = service.get("/bad")
        called = service.call("bad.say").error
        beside = service.get("/good").text
        broken[0] = False
        service.later(seconds=11)
        probe = service.get("/bad").text

        assert crashes == [500, 500]
        assert (resting.status_code, resting.json()["error"]) == (503, "OVERLOAD_LIMIT")
        assert called == "OVERLOAD_LIMIT"
        assert beside == "good"
        assert probe == "bad"
        assert service.call("bad.say").error is None


def test_more_sets_of_plugins_than_are_kept_are_all_served() -> None:
    names = ["a", "b", "c", "d"]
    with Service([paged(name, f"/{name}") for name in names]) as service:
        for number in [*range(16), 0]:
            on = {name: bool(number & 1 << bit) for bit, name in enumerate(names)}
            for name, is_on in on.items():
                turn(service.kernel, name, is_on=is_on)
            service.kernel.refresh()
            shown = {name: service.get(f"/{name}").status_code == 200 for name in names}

            assert shown == on
