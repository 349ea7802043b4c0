"""What is switched is kept by the database: for every worker, and for the next start."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.switching import entry, reason, saying, states, turn
from msgspec import structs

from landyard import Kernel, Plugin, Settings, SettingsError
from landyard.audit import AuditRow
from landyard.faults import Quarantine
from landyard.states import (
    PluginState,
    failed_by,
    keep_quarantine,
    known_report,
    known_switches,
    switch,
    write_report,
)

NOT_FOUND = "ERROR_METHOD_NOT_FOUND"
NOW = datetime(2026, 3, 26, 12, tzinfo=UTC)


def pair() -> list[Plugin]:
    return [saying("one", "shout"), saying("two")]


def test_a_switch_is_effective_in_another_worker_once_it_has_looked(
    make_service: MakeService,
) -> None:
    here, there = make_service(pair()), make_service(pair(), world={})

    turn(here.kernel, "one", is_on=False)
    before = there.call("one.say").error
    there.kernel.refresh()
    off = [there.call(name).error for name in ("one.say", "one.shout", "two.say")]
    turn(here.kernel, "one", is_on=True)
    there.kernel.refresh()

    assert before is None
    assert off == [NOT_FOUND, NOT_FOUND, None]
    assert there.call("one.say").error is None


def test_a_method_is_switched_by_itself_however_its_name_is_written(
    make_service: MakeService,
) -> None:
    here, there = make_service(pair()), make_service(pair(), world={})

    turn(here.kernel, "ONE.Say", is_on=False, kind="method")
    there.kernel.refresh()

    assert [there.call(name).error for name in ("one.say", "one.shout")] == [NOT_FOUND, None]
    assert states(there.kernel)["one"] == "enabled"


def test_a_switch_outlives_a_restart(make_service: MakeService) -> None:
    first = make_service(pair())
    turn(first.kernel, "one", is_on=False)
    turn(first.kernel, "two.say", is_on=False, kind="method")
    first.kernel.refresh()
    first.close()

    second = make_service(pair(), world={})

    assert states(second.kernel) == {"one": "disabled", "two": "enabled"}
    assert [second.call(f"{name}.say").error for name in ("one", "two")] == [NOT_FOUND] * 2


def test_a_switch_is_audited(make_service: MakeService) -> None:
    service = make_service(pair())

    turn(service.kernel, "one", is_on=False)
    with service.kernel.store.session() as session:
        row: Any = session.execute(sa.select(AuditRow.__table__)).one()  # type: ignore[attr-defined]

    assert (row.credential, row.method, row.subject, row.outcome) == (
        "command line:tester",
        "plugins.disable",
        "plugin:one",
        "ok",
    )


@pytest.mark.parametrize("is_on", [True, False])
def test_a_pin_counts_for_more_than_a_switch(make_service: MakeService, is_on: bool) -> None:
    pins = {"on" if is_on else "off": ["one", "two.SAY"]}
    service = make_service(pair(), plugins=pins)

    turn(service.kernel, "one", is_on=not is_on)
    turn(service.kernel, "two.say", is_on=not is_on, kind="method")
    service.kernel.refresh()

    expected = None if is_on else NOT_FOUND
    assert [service.call(f"{name}.say").error for name in ("one", "two")] == [expected] * 2


@pytest.mark.parametrize(("on", "off"), [("one", "one"), ("landing.X", "LANDING.x")])
def test_what_is_pinned_both_ways_is_told(tmp_path: Path, on: str, off: str) -> None:
    settings = Settings(data=tmp_path, plugins={"plugins": {"on": [on], "off": [off]}})

    with pytest.raises(SettingsError, match=f"'{on.lower()}' is both in plugins.on and"):
        Kernel(settings, pair())


def at_once(*works: Callable[[], object], times: int = 4) -> list[BaseException]:
    """Do each of `works` in several threads that begin together; answer what they raised."""
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


def test_many_who_switch_at_once_all_succeed(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store

    raised = at_once(
        lambda: switch(store, "one", is_on=False, entry=entry("one", is_on=False)),
        lambda: switch(store, "one", is_on=True, entry=entry("one", is_on=True)),
    )
    switches = known_switches(store)

    assert raised == []
    assert switches is not None
    assert (set(switches.switches), switches.counter) == ({"one"}, 40)


def test_workers_that_report_and_quarantine_at_once_all_succeed(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store
    rows = [PluginState(f"p{number}", "1.0", "d", "enabled") for number in range(5)]
    quarantine = Quarantine("one", "reason", NOW, NOW, 1)

    raised = at_once(
        lambda: write_report(store, rows, NOW), lambda: keep_quarantine(store, "one", quarantine)
    )

    assert raised == []
    assert known_report(store) == rows


def test_a_report_keeps_the_methods_of_what_is_off(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store
    on = PluginState("one", "1.0", "d", "enabled", methods=("one.say",))
    off = PluginState("one", "1.1", "d", "disabled", "switched off")

    write_report(store, [on], NOW)
    write_report(store, [off], NOW)

    assert known_report(store) == [structs.replace(off, methods=on.methods)]


def test_who_failed_for_a_reason_is_listed_with_its_version(make_service: MakeService) -> None:
    store = make_service(pair()).kernel.store
    write_report(store, [PluginState("one", "1.0", "d", "failed", "it was"), *_others()], NOW)

    assert failed_by(store, "it was") == [("one", "1.0", NOW)]


def _others() -> list[PluginState]:
    return [
        PluginState("two", "1.0", "d", "disabled", "it was"),
        PluginState("three", "1.0", "d", "failed", "it is"),
    ]


def test_where_the_database_does_not_say_nothing_but_the_kernel_is_on(tmp_path: Path) -> None:
    """Nothing that is off must answer because nobody could be asked."""
    (tmp_path / "landyard.db").write_bytes(
        b"no database at all, and long enough to be seen as none"
    )
    kernel = Kernel(Settings(data=tmp_path), pair())
    stood = states(kernel), len(kernel.methods), reason(kernel, "one")

    (tmp_path / "landyard.db").unlink()
    kernel.prepare()
    turn(kernel, "two", is_on=False)
    kernel.refresh()

    assert stood == (
        {"one": "disabled", "two": "disabled"},
        0,
        "the database does not say whether it is on",
    )
    assert states(kernel) == {"one": "enabled", "two": "disabled"}
    kernel.close()
