"""Resolution: which plugins are on, which depend on others, and which clash."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from kernel.installing import install, place
from kernel.sample import Brings
from kernel.switching import doing, reason, saying, states, turn, turn_off
from msgspec import Struct

from landyard import (
    Actor,
    Call,
    CallError,
    Credential,
    Job,
    Kernel,
    Plugin,
    PluginError,
    Settings,
    WorldList,
    hookimpl,
)
from landyard.testing import Service
from landyard.web.wire import Incoming

__all__ = ["place"]

HOUR = timedelta(hours=1)
NOT_FOUND = "ERROR_METHOD_NOT_FOUND"


class Walls(Struct, frozen=True):
    height: int = 2


def needing(name: str, *requires: str, **brought: Any) -> Plugin:
    return saying(name, requires=requires, **brought)


def chain() -> list[Plugin]:
    return [needing("roof", "walls"), needing("walls", "ground"), saying("ground")]


def test_a_plugin_that_is_off_switches_its_dependents_off_and_on_again() -> None:
    with Service(chain()) as service:
        turn_off(service.kernel, "ground")
        off = {name: reason(service.kernel, name) for name in states(service.kernel)}
        turn(service.kernel, "ground", is_on=True)
        service.kernel.lifecycle.refresh()

        assert off == {
            "ground": "switched off",
            "walls": "it requires 'ground', which is disabled",
            "roof": "it requires 'walls', which is disabled",
        }
        assert set(states(service.kernel).values()) == {"enabled"}
        assert service.call("roof.say").error is None


def test_a_pinned_plugin_is_off_without_its_requirement() -> None:
    with Service(chain(), plugins={"on": ["roof"], "off": ["ground"]}) as service:
        assert states(service.kernel)["roof"] == "disabled"


def test_a_plugin_whose_requirement_failed_has_failed() -> None:
    broken = saying("ground", register_world=hookimpl(lambda: 42))
    with Service([*chain()[:2], broken], strict=False) as service:
        assert set(states(service.kernel).values()) == {"failed"}
        assert "'walls', which is failed" in reason(service.kernel, "roof")


@pytest.mark.parametrize("how", ["switch", "pin", "safe"])
def test_a_faulty_plugin_that_is_off_is_no_failure(place: Path, tmp_path: Path, how: str) -> None:
    """An operator can therefore start a strict service by switching unusable plugins off."""
    install(place, "far", "far = far_away", "", "Requires-Dist: landyard>=99")
    options: dict[str, Any] = {"data": tmp_path / "data", "safe": how == "safe"}
    if how == "pin":
        options["plugins"] = {"plugins": {"off": ["far"]}}
    first = Kernel(Settings(data=tmp_path / "data"))
    first.prepare()
    if how == "switch":
        turn(first, "far", is_on=False)
    first.close()

    kernel = Kernel(Settings(strict=True, **options))
    kernel.close()

    assert states(kernel)["far"] == "disabled"


def test_a_strict_service_refuses_an_unusable_plugin(place: Path, tmp_path: Path) -> None:
    install(place, "far", "far = far_away", "", "Requires-Dist: landyard>=99")

    with pytest.raises(PluginError, match=r"'far' \(far 1.0\): it requires landyard >=99"):
        Kernel(Settings(data=tmp_path / "data", strict=True))


def copying(name: str, other: str) -> Plugin:
    """A plugin that declares the method of another."""
    return Plugin(name, Brings(saying(other).module.group), "sayings", "1.0")


class Guest(Struct, frozen=True):
    name: str = ""


class Teapot(CallError):
    """I am a teapot."""

    code = "TEAPOT"
    status = 418
    system = True


def hooked(name: str, hook: str, does: Callable[..., Any], *more: str) -> Plugin:
    return saying(name, *more, **{hook: hookimpl(does)})


def words() -> list[click.Command]:
    return [click.Command("guests")]


def section() -> type[Struct]:
    return Walls


def named_section() -> dict[str, type[Struct]]:
    return {"first": Walls}


def guests() -> list[WorldList]:
    return [WorldList(name="guests", item=Guest, load=lambda *_: None, dump=lambda _: [])]


def job() -> list[Job]:
    return [Job("nightly", HOUR, print)]


TAKEN = {
    "settings section [first]": [
        hooked("first", "register_settings", section),
        hooked("second", "register_settings", named_section),
    ],
    "job 'nightly'": [
        hooked("first", "register_jobs", job),
        hooked("second", "register_jobs", job),
    ],
    "method first.say": [saying("first"), copying("second", "first")],
}


@pytest.mark.parametrize("what", TAKEN)
def test_the_second_plugin_with_a_name_fails_until_the_first_is_off(what: str) -> None:
    with Service(TAKEN[what], strict=False) as service:
        together = states(service.kernel), reason(service.kernel, "second")
        turn_off(service.kernel, "first")
        alone = states(service.kernel)
        turn(service.kernel, "first", is_on=True)
        service.kernel.lifecycle.refresh()

        assert together[0] == {"first": "enabled", "second": "failed"}
        assert what in together[1]
        assert "'first'" in together[1]
        assert alone == {"first": "disabled", "second": "enabled"}
        assert states(service.kernel) == together[0]


def test_a_method_switched_off_alone_keeps_its_name() -> None:
    plugins = [saying("first"), copying("second", "first")]
    with Service(plugins, strict=False) as service:
        turn_off(service.kernel, "first.say")

        assert states(service.kernel)["second"] == "failed"
        assert service.call("first.say").error == NOT_FOUND


def test_a_plugin_that_is_off_lets_nobody_in_even_if_remembered() -> None:
    def authenticate(credential: Credential) -> Actor | None:
        known = credential.secret == "of-the-plugin-0123456789"
        return Actor(7, "badge:7", frozenset({"sample"})) if known else None

    badge = Incoming("POST", "/7/of-the-plugin-0123456789/two.say")
    plugins = [hooked("one", "authenticate", authenticate), saying("two")]
    with Service(plugins) as service:
        let_in = service.send(badge).error
        turn_off(service.kernel, "one")

        assert let_in is None
        assert service.send(badge).error == "INVALID_CREDENTIALS"


def test_a_plugin_that_is_off_maps_no_errors() -> None:
    def map_error(error: Exception) -> CallError | None:
        return Teapot() if isinstance(error, ZeroDivisionError) else None

    def crash(call: Call) -> None:
        raise ZeroDivisionError

    plugins = [hooked("one", "map_error", map_error), doing("two", crash)]
    with Service(plugins, raise_crashes=False) as service:
        on = service.call("two.do").error
        turn_off(service.kernel, "one")

        assert on == "TEAPOT"
        assert service.call("two.do").error == "INTERNAL_SERVER_ERROR"


def test_a_plugin_that_is_off_observes_nothing_and_runs_no_jobs() -> None:
    recorded: list[str] = []

    def call_finished(request: Any) -> None:
        recorded.append(request.method)

    plugin = saying(
        "one",
        call_finished=hookimpl(call_finished),
        register_jobs=hookimpl(job),
        register_world=hookimpl(guests),
        register_settings=hookimpl(section),
        register_commands=hookimpl(words),
    )
    with Service([plugin, saying("two")]) as service:
        kernel = service.kernel
        service.call("two.say")

        def brought() -> list[bool]:
            return [
                "nightly" in kernel.resolution.jobs,
                "guests" in [each.name for each in kernel.resolution.lists],
                "one" in kernel.resolution.sections,
                "guests" in [word.name for word in kernel.commands()],
                bool(kernel.registry.hooks),
            ]

        on = brought()
        turn_off(kernel, "one")
        service.call("two.say")

        assert (on, brought()) == ([True] * 5, [False] * 5)
    # observers run after the answer, and are done when the kernel closes
    assert recorded == ["two.say"]
