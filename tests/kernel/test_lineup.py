"""A line-up: what two plugins may not both bring, and all that goes with a plugin."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import click
import pytest
from kernel.sample import Brings
from kernel.switching import doing, reason, saying, states, turn
from msgspec import Struct

from landyard import (
    Actor,
    CallError,
    Credential,
    Job,
    Plugin,
    WorldList,
    hookimpl,
)
from landyard.testing import Service
from landyard.wire import Incoming

HOUR = timedelta(hours=1)
NOT_FOUND = "ERROR_METHOD_NOT_FOUND"


def copying(name: str, other: str) -> Plugin:
    """A plugin that brings the method of another."""
    return Plugin(name, Brings(saying(other).module.group), "sayings 1.0")


class Walls(Struct, frozen=True):
    height: int = 2


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
def test_the_second_to_bring_it_fails_until_the_first_is_off(what: str) -> None:
    with Service(TAKEN[what], strict=False) as service:
        together = states(service.kernel), reason(service.kernel, "second")
        turn(service.kernel, "first", is_on=False)
        service.kernel.refresh()
        alone = states(service.kernel)
        turn(service.kernel, "first", is_on=True)
        service.kernel.refresh()

        assert together[0] == {"first": "enabled", "second": "failed"}
        assert what in together[1]
        assert "'first'" in together[1]
        assert alone == {"first": "disabled", "second": "enabled"}
        assert states(service.kernel) == together[0]


def test_a_method_that_is_off_by_itself_is_nobody_elses() -> None:
    plugins = [saying("first"), copying("second", "first")]
    with Service(plugins, strict=False) as service:
        turn(service.kernel, "first.say", is_on=False, kind="method")
        service.kernel.refresh()

        assert states(service.kernel)["second"] == "failed"
        assert service.call("first.say").error == NOT_FOUND


def test_who_a_plugin_has_let_in_is_out_at_once_also_if_remembered() -> None:
    def authenticate(credential: Credential) -> Actor | None:
        known = credential.secret == "of-the-plugin-0123456789"
        return Actor(7, "badge:7", frozenset({"sample"})) if known else None

    badge = Incoming("POST", "/7/of-the-plugin-0123456789/two.say")
    plugins = [hooked("one", "authenticate", authenticate), saying("two")]
    with Service(plugins) as service:
        let_in = service.send(badge).error
        turn(service.kernel, "one", is_on=False)
        service.kernel.refresh()

        assert let_in is None
        assert service.send(badge).error == "INVALID_CREDENTIALS"


def test_errors_are_mapped_by_nobody_who_is_off() -> None:
    def map_error(error: Exception) -> CallError | None:
        return Teapot() if isinstance(error, ZeroDivisionError) else None

    def crash() -> None:
        raise ZeroDivisionError

    plugins = [hooked("one", "map_error", map_error), doing("two", crash)]
    with Service(plugins, raise_crashes=False) as service:
        on = service.call("two.do").error
        turn(service.kernel, "one", is_on=False)
        service.kernel.refresh()

        assert on == "TEAPOT"
        assert service.call("two.do").error == "INTERNAL_SERVER_ERROR"


def test_nothing_is_observed_or_done_by_who_is_off() -> None:
    seen: list[str] = []

    def call_finished(request: Any) -> None:
        seen.append(request.method)

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
                "nightly" in [each.name for each in kernel.jobs],
                "guests" in [each.name for each in kernel.lineup.lists],
                "one" in kernel.sections,
                "guests" in [word.name for word in kernel.commands()],
                bool(kernel.lineup.observers),
            ]

        on = brought()
        turn(kernel, "one", is_on=False)
        kernel.refresh()
        service.call("two.say")

        assert (on, brought()) == ([True] * 5, [False] * 5)
        assert seen == ["two.say"]
