"""Switches are stored in the database: for every worker, and for the next start."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import MakeService
from kernel.switching import reason, saying, states, turn
from msgspec import structs

from landyard import Kernel, Plugin, Settings, UnitOfWork
from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.plugin_host.switches import (
    PluginState,
    keep_breaker,
    known_report,
    known_switches,
    write_report,
    write_switch,
)

NOT_FOUND = "ERROR_METHOD_NOT_FOUND"
NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)
FAR = datetime.now(UTC) + timedelta(days=1)


def pair() -> list[Plugin]:
    return [saying("one", "shout"), saying("two")]


def test_a_switch_takes_effect_in_another_worker_at_its_next_look(
    make_service: MakeService,
) -> None:
    here, there = make_service(pair()), make_service(pair(), world={})

    turn(here.kernel, "one", is_on=False)
    before = there.call("one.say").error
    there.kernel.lifecycle.refresh()
    off = [there.call(name).error for name in ("one.say", "one.shout", "two.say")]
    turn(here.kernel, "one", is_on=True)
    there.kernel.lifecycle.refresh()

    assert before is None
    assert off == [NOT_FOUND, NOT_FOUND, None]
    assert there.call("one.say").error is None


def test_a_method_is_switched_alone_whatever_the_case_of_its_name(
    make_service: MakeService,
) -> None:
    here, there = make_service(pair()), make_service(pair(), world={})

    turn(here.kernel, "ONE.Say", is_on=False)
    there.kernel.lifecycle.refresh()

    assert [there.call(name).error for name in ("one.say", "one.shout")] == [NOT_FOUND, None]
    assert states(there.kernel)["one"] == "enabled"


def test_a_switch_survives_a_restart(make_service: MakeService) -> None:
    first = make_service(pair())
    turn(first.kernel, "one", is_on=False)
    turn(first.kernel, "two.say", is_on=False)
    first.kernel.lifecycle.refresh()
    first.close()

    second = make_service(pair(), world={})

    assert states(second.kernel) == {"one": "disabled", "two": "enabled"}
    assert [second.call(f"{name}.say").error for name in ("one", "two")] == [NOT_FOUND] * 2


@pytest.mark.parametrize("is_on", [True, False])
def test_a_pin_wins_over_a_switch(make_service: MakeService, is_on: bool) -> None:
    pins = {"on" if is_on else "off": ["one", "two.SAY"]}
    service = make_service(pair(), plugins=pins)

    turn(service.kernel, "one", is_on=not is_on)
    turn(service.kernel, "two.say", is_on=not is_on)
    service.kernel.lifecycle.refresh()

    expected = None if is_on else NOT_FOUND
    assert [service.call(f"{name}.say").error for name in ("one", "two")] == [expected] * 2


def test_a_plugin_pinned_both_ways_is_off(make_service: MakeService) -> None:
    pins = {"on": ["one", "two.say"], "off": ["ONE", "two.SAY"]}
    service = make_service(pair(), plugins=pins)

    assert [service.call(f"{name}.say").error for name in ("one", "two")] == [NOT_FOUND] * 2


def at_once(*works: Callable[[], object], times: int = 4) -> list[BaseException]:
    """Run all functions in threads that start together; return what they raised."""
    raised: list[BaseException] = []
    begin = threading.Barrier(len(works) * times)

    def run(work: Callable[[], object]) -> None:
        begin.wait(30)
        try:
            for _ in range(5):
                work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def test_concurrent_writers_all_succeed(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store
    rows = [PluginState(f"p{number}", "1.0", "d", "enabled") for number in range(5)]
    breaker = OpenBreaker("one.say", "one", "reason", NOW)

    def switch(unit: UnitOfWork, *, is_on: bool) -> None:
        write_switch(unit.connection, "one", is_on=is_on, at=NOW, by="a")

    raised = at_once(
        lambda: store.run(lambda unit: switch(unit, is_on=False), writes=True),
        lambda: store.run(lambda unit: switch(unit, is_on=True), writes=True),
        lambda: write_report(store, rows, NOW),
        lambda: keep_breaker(store, "one.say", breaker),
    )
    switches = known_switches(store)

    assert raised == []
    assert switches is not None
    assert set(switches.switches) == {"one"}
    assert known_report(store) == rows


def test_a_report_keeps_the_methods_of_switched_off_plugins(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store
    on = PluginState("one", "1.0", "d", "enabled", methods=("one.say",))
    off = PluginState("one", "1.1", "d", "disabled", "switched off")

    write_report(store, [on], NOW)
    write_report(store, [off], NOW)

    assert known_report(store) == [structs.replace(off, methods=on.methods)]


@pytest.mark.parametrize("name", ["one", "one.say"])
def test_switching_on_closes_the_breakers_of_the_named_plugin_or_method(
    make_service: MakeService, name: str
) -> None:
    service = make_service(pair())
    store = service.kernel.store
    for method, plugin in (("one.say", "one"), ("two.say", "two")):
        keep_breaker(store, method, OpenBreaker(method, plugin, "reason", FAR))
    service.kernel.lifecycle.refresh()
    refused = [service.call(method).error for method in ("one.say", "two.say")]

    turn(service.kernel, name, is_on=True)
    service.kernel.lifecycle.refresh()

    assert refused == ["OVERLOAD_LIMIT"] * 2
    assert service.call("one.say").error is None
    assert service.call("two.say").error == "OVERLOAD_LIMIT"


def test_a_closed_breaker_is_closed_in_every_worker(make_service: MakeService) -> None:
    here, there = make_service(pair()), make_service(pair(), world={})
    here.kernel.open_breaker("one.say", deaths=3)
    for each in (here, there):
        each.kernel.lifecycle.refresh()
    refused = [each.call("one.say") for each in (here, there)]

    method = there.kernel.methods.find("one.say")
    assert method is not None
    there.kernel.breaker.finished(method)
    for each in (there, here):
        each.kernel.lifecycle.refresh()

    assert [each.error for each in refused] == ["OVERLOAD_LIMIT"] * 2
    assert "the last 3 workers that died were in a call of it" in str(refused[1].body)
    assert [each.call("one.say").error for each in (here, there)] == [None, None]


def test_no_plugin_is_on_where_the_database_cannot_be_asked(tmp_path: Path) -> None:
    """A switched-off plugin must not answer because the database did not."""
    (tmp_path / "landyard.db").write_bytes(
        b"no database at all, and long enough to be seen as none"
    )
    kernel = Kernel(Settings(data=tmp_path), pair())
    stood = states(kernel), len([*kernel.methods]), reason(kernel, "one")

    (tmp_path / "landyard.db").unlink()
    kernel.prepare()
    turn(kernel, "two", is_on=False)
    kernel.lifecycle.refresh()

    assert stood == (
        {"one": "disabled", "two": "disabled"},
        0,
        "the database does not say whether it is on",
    )
    assert states(kernel) == {"one": "enabled", "two": "disabled"}
    kernel.close()
