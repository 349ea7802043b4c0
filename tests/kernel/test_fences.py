"""Hooks behind their fences: what one raises is blamed on its plugin, and the next is asked."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.switching import doing, reason, saying, states, turn

from landyard import Actor, CallError, Credential, Job, Plugin, hookimpl
from landyard.errors import OverloadLimit
from landyard.jobs import Runner
from landyard.states import known_switches
from landyard.testing import Answer, Service
from landyard.wire import Incoming

NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
BADGE = Incoming("POST", "/7/of-the-plugin-0123456789/sample.say")
RULES = {"faults": 2, "within": 60.0, "pause": 10.0}


class Mood:
    """What a plugin's hooks do: nothing, or whatever a test wants."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.asked = 0

    def turn(self) -> None:
        self.asked += 1
        if self.error is not None:
            raise self.error


def gatekeeper(mood: Mood, name: str = "gatekeeper") -> Plugin:
    """A plugin with nothing but an `authenticate`."""

    class Keeper:
        @hookimpl
        def authenticate(self, credential: Credential) -> Actor | None:
            mood.turn()
            known = credential.secret == "of-the-plugin-0123456789"
            return Actor(7, "badge:7", frozenset({"sample"})) if known else None

    return Plugin(name, Keeper(), "keepers 1.0")


def observer(mood: Mood) -> Plugin:
    class Observer:
        @hookimpl
        def call_finished(self) -> None:
            mood.turn()

    return Plugin("observer", Observer(), "observers 1.0")


def service_with(make_service: MakeService, *plugins: Plugin, **more: Any) -> Service:
    options = {"now": NOW, "raise_crashes": False, "plugins": RULES, **more}
    return make_service([saying("sample"), *plugins], **options)


def answered(service: Service, times: int = 1) -> Answer:
    answers = [service.send(BADGE) for _ in range(times)]
    return answers[-1]


def test_one_that_fails_has_not_let_anybody_in_and_the_next_is_asked(
    make_service: MakeService,
) -> None:
    bad, good = Mood(), Mood()
    bad.error = ZeroDivisionError()
    service = service_with(make_service, gatekeeper(bad, "a"), gatekeeper(good, "b"))

    answer = answered(service)

    assert answer.error is None
    assert (bad.asked, good.asked) == (1, 1)


@pytest.mark.parametrize("error", [ZeroDivisionError(), SystemExit(3)])
def test_who_fails_too_often_rests_and_is_tried_again_after_the_pause(
    make_service: MakeService, error: BaseException
) -> None:
    """Nobody calls it: a hook of its own is the probe."""
    mood = Mood()
    mood.error = error
    service = service_with(make_service, gatekeeper(mood))
    refused = answered(service, 2).error
    resting = states(service.kernel)["gatekeeper"], mood.asked
    answered(service, 3)
    at_rest = mood.asked

    service.later(seconds=11)
    answered(service)
    still = states(service.kernel)["gatekeeper"], mood.asked
    service.later(seconds=11)
    answered(service)
    doubled = mood.asked
    service.later(seconds=11)
    mood.error = None
    answer = answered(service)

    assert refused == "INVALID_CREDENTIALS"
    assert resting == ("quarantined", 2)
    assert at_rest == 2
    assert still == ("quarantined", 3)
    assert doubled == 3  # the pause is twice as long
    assert answer.error is None
    assert states(service.kernel)["gatekeeper"] == "enabled"


def test_to_refuse_is_an_answer_and_ends_the_quarantine(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = ZeroDivisionError()
    service = service_with(make_service, gatekeeper(mood))
    answered(service, 2)
    service.later(seconds=11)
    mood.error = OverloadLimit("Not now.")

    answer = answered(service)

    assert answer.error == "OVERLOAD_LIMIT"
    assert states(service.kernel)["gatekeeper"] == "enabled"


def test_trouble_of_the_host_is_nobodys_and_lets_nobody_in(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = sa.exc.OperationalError("", {}, MemoryError())
    service = service_with(make_service, gatekeeper(mood))

    answer = answered(service, 5)

    assert answer.error == "INTERNAL_SERVER_ERROR"
    assert (states(service.kernel)["gatekeeper"], mood.asked) == ("enabled", 5)


def test_an_observer_that_fails_changes_no_answer_and_rests(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = ZeroDivisionError()
    service = service_with(make_service, observer(mood))

    answers = [service.call("sample.say").error for _ in range(4)]

    assert answers == [None] * 4
    assert (states(service.kernel)["observer"], mood.asked) == ("quarantined", 2)
    assert "call_finished, 2 times" in reason(service.kernel, "observer")


def test_hooks_do_not_end_the_quarantine_of_who_has_methods(make_service: MakeService) -> None:
    mood, seen = Mood(), Mood()
    mood.error = ZeroDivisionError()
    plugin = doing("one", mood.turn, call_finished=hookimpl(lambda: seen.turn()))  # noqa: PLW0108
    service = service_with(make_service, plugin)
    for _ in range(2):
        service.call("one.do")
    seen_before = seen.asked

    service.later(seconds=11)
    service.call("sample.say")

    assert states(service.kernel)["one"] == "quarantined"
    assert seen.asked == seen_before


def test_a_mapper_that_fails_leaves_the_error_to_the_next(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = KeyError()

    class Mapper:
        @hookimpl
        def map_error(self, error: Exception) -> CallError | None:
            mood.turn()
            return OverloadLimit()

    def crash() -> None:
        raise ZeroDivisionError

    plugins = [Plugin("mapper", Mapper(), "mappers 1.0"), doing("one", crash)]
    service = service_with(make_service, *plugins)

    first = service.call("one.do").error
    mood.error = None

    assert first == "INTERNAL_SERVER_ERROR"
    assert service.call("one.do").error == "OVERLOAD_LIMIT"


def test_a_quarantine_is_of_all_workers_and_lifted_by_enable(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = ZeroDivisionError()
    plugin = doing("one", mood.turn)
    here = service_with(make_service, plugin)
    there = service_with(make_service, plugin, world={})
    for _ in range(2):
        here.call("one.do")
    here.kernel.refresh()
    there.kernel.refresh()
    resting = there.call("one.do")
    mood.error = None
    turn(here.kernel, "one", is_on=True)
    for each in (here, there):
        each.kernel.refresh()

    assert (resting.error, resting.status) == ("OVERLOAD_LIMIT", 503)
    assert [each.call("one.do").error for each in (here, there)] == [None, None]


def test_a_probe_that_works_lifts_it_for_all_workers(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = ZeroDivisionError()
    plugin = doing("one", mood.turn)
    here = service_with(make_service, plugin)
    there = service_with(make_service, plugin, world={})
    for _ in range(2):
        here.call("one.do")
    here.kernel.refresh()
    there.kernel.refresh()
    mood.error = None
    there.later(seconds=11)
    probe = there.call("one.do").error
    for each in (there, here):
        each.kernel.refresh()
    switches = known_switches(here.kernel.store)

    assert probe is None
    assert here.call("one.do").error is None
    assert switches is not None
    assert switches.quarantines == {}


def run_once(service: Service) -> None:
    runner = Runner(service.kernel)
    runner._run_due()
    for thread in runner._running.values():
        thread.join(30)


def working(*works: Callable[[], object]) -> Plugin:
    """A plugin with nothing but jobs."""

    class Working:
        @hookimpl
        def register_jobs(self) -> list[Job]:
            hour = timedelta(hours=1)
            return [
                Job(f"working.{number}", hour, lambda _, work=work: work())  # type: ignore[misc]
                for number, work in enumerate(works)
            ]

    return Plugin("working", Working(), "works 1.0")


def test_jobs_rest_and_are_the_probe_where_nothing_else_is(make_service: MakeService) -> None:
    mood = Mood()
    mood.error = ZeroDivisionError()
    service = service_with(make_service, working(mood.turn, mood.turn, mood.turn))
    run_once(service)
    resting = states(service.kernel)["working"], mood.asked
    run_once(service)
    at_rest = mood.asked
    mood.error = None
    service.later(seconds=11)
    run_once(service)

    assert resting == ("quarantined", 2)  # the third was not begun
    assert at_rest == 2
    assert states(service.kernel)["working"] == "enabled"
    assert mood.asked == 3  # the one that was still due
