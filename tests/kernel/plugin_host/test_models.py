"""A plugin whose models are unusable fails, and calls of other plugins go on."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from faulty.guests import BARE, family, guests
from faulty.kit import Fault, install
from kernel.switching import reason, states, turn
from sqlalchemy.exc import InvalidRequestError

from landyard import METADATA
from landyard.testing import Service

Put = Callable[..., None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Install plugins for the length of the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda *faults: install(folder, *faults)
    for name in [name for name in sys.modules if name.startswith("faulty_")]:
        del sys.modules[name]


def enabled(service: Service, *faults: Fault) -> list[str]:
    known = states(service.kernel)
    return [fault.name for fault in faults if known[fault.plugin] == "enabled"]


CLASHING = {
    "table": {"table": "faulty_{0}_one_guest"},
    "column added": {
        "before": 'Table("faulty_{0}_one_guest", METADATA, Column("more", Integer),'
        " extend_existing=True)"
    },
    "relationship": {"field": 'none: List["Nobody"] = Relationship()'},
    "no key": {"before": "class Odd(Base, table=True):\n    name: str"},
    "foreign key": {
        "before": "class Lost(Base, table=True):\n"
        "    id: int = Field(primary_key=True, foreign_key='nowhere.id')"
    },
    "foreign key of a relationship": {
        "before": "class Odd(Base, table=True):\n"
        "    id: int = Field(primary_key=True, foreign_key='nowhere.id')\n"
        "    more: Optional['Odd'] = Relationship()"
    },
}


@pytest.mark.parametrize("kind", CLASHING)
def test_a_plugin_with_unusable_models_fails_alone(put: Put, kind: str) -> None:
    word = kind.replace(" ", "_")
    said = {key: text.replace("{0}", word) for key, text in CLASHING[kind].items()}
    first, culprit, last = (
        guests(f"{word}_one"),
        guests(f"{word}_two", **said),
        guests(f"{word}_z"),
    )
    put(first, culprit, last)

    with Service(strict=False) as service:
        found = enabled(service, first, culprit, last)
        answers = [service.call(f"{each.name}.list").body.get("result") for each in (first, last)]
        failed = {name for name, state in states(service.kernel).items() if state == "failed"}

    assert found == [first.name, last.name]
    assert answers == [0, 0]
    assert failed == {culprit.plugin}
    assert not {"odd", "lost"} & METADATA.tables.keys()


_BROKEN_MODEL = """
    class Late(Base, table=True):
        __tablename__ = "faulty_{0}_late"
        id: int | None = Field(default=None, primary_key=True)
        none: List["Nobody"] = Relationship()
"""
_IN_HOOK = "@hookimpl\ndef register_jobs():" + _BROKEN_MODEL + "    return []\n"
_IN_CALL = (
    '@group.method("{0}.late")\ndef late(call: Call, params: Nothing) -> int:\n    "Declare."'
    + _BROKEN_MODEL
    + "    return len(call.session.exec(select(Late)).all())\n"
)


def test_a_model_declared_in_a_hook_is_checked_with_the_others(put: Put) -> None:
    first, last = guests("hooked_one"), guests("hooked_z")
    culprit = guests("hooked_two", after=_IN_HOOK.format("hooked_two"))
    put(first, culprit, last)

    with Service(strict=False) as service:
        message = reason(service.kernel, culprit.plugin)
        answers = [service.result(f"{each.name}.list") for each in (first, last)]

    assert "models cannot be used" in message
    assert answers == [0, 0]


def test_a_broken_model_declared_in_a_call_fails_calls_of_its_own_plugin(put: Put) -> None:
    first, culprit = guests("late_one"), guests("late_two", after=_IN_CALL.format("late_two"))
    put(first, culprit)

    with Service(strict=False) as service:
        with pytest.raises(InvalidRequestError):
            service.call("late_two.late")
        answer = service.result("late_one.list")

    assert answer == 0


def test_the_plugin_that_already_has_the_table_is_named(put: Put) -> None:
    put(guests("named_one"), guests("named_two", table="faulty_named_one_guest"))

    with Service(strict=False) as service:
        message = reason(service.kernel, "faulty_named_two")

    assert "faulty_named_one_guest" in message
    assert "'faulty_named_one'" in message


def test_plugins_with_a_base_of_their_own_may_have_classes_of_one_name(put: Put) -> None:
    first, second = guests("own_one", **family()), guests("own_two", **family())
    put(first, second)

    with Service() as service:
        answers = [service.result(f"{each.name}.list") for each in (first, second)]

    assert answers == [0, 0]


def test_a_model_of_a_base_of_its_own_needs_a_migration_too(put: Put) -> None:
    odd = "class Odd(Base, table=True):\n    __tablename__ = 'faulty_bare_odd'\n"
    odd += "    id: int | None = Field(default=None, primary_key=True)"
    put(guests("bare", before=odd))

    with Service(strict=False) as service:
        assert states(service.kernel)["faulty_bare"] == "failed"
        assert "faulty_bare_odd" in reason(service.kernel, "faulty_bare")


_BARE_SERVICE = """
from landyard import METADATA
from landyard.testing import Service

with Service(strict=False) as service:
    print(*(each.reason for each in service.kernel.resolution.states if each.name == "faulty_{}"))
"""


def test_a_broken_class_without_a_base_is_told_to_have_one(tmp_path: Path) -> None:
    install(tmp_path, guests("lone", field='none: List["Nobody"] = Relationship()', **BARE))

    # In a process of its own: the class breaks those of SQLModel's own registry.
    done = subprocess.run(
        [sys.executable, "-c", _BARE_SERVICE.format("lone")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "its models cannot be used" in done.stdout
    assert "derive yours from a base of your own" in done.stdout


FAILING = {
    "import": {"after": "raise OSError"},
    "migration": {"migrates": "1 / 0"},
}


@pytest.mark.parametrize("part", FAILING)
def test_a_failed_plugin_is_tried_again_when_it_is_enabled(put: Put, part: str) -> None:
    name = f"mended_{part}"
    put(guests(name, **FAILING[part]))
    with Service(strict=False) as service:
        service.get("/healthz")
        before = states(service.kernel)[f"faulty_{name}"]
        put(guests(name))
        turn(service.kernel, f"faulty_{name}", is_on=True)
        service.kernel.lifecycle.refresh()

        assert before == "failed"
        assert reason(service.kernel, f"faulty_{name}") == ""
        assert service.result(f"{name}.list") == 0


def test_a_module_that_was_imported_is_not_imported_again(put: Put) -> None:
    put(guests("stale", after="@hookimpl\ndef register_jobs():\n    1 / 0"))
    with Service(strict=False) as service:
        put(guests("stale"))
        turn(service.kernel, "faulty_stale", is_on=True)
        service.kernel.lifecycle.refresh()
        message = reason(service.kernel, "faulty_stale")

    assert "ZeroDivisionError" in message


def test_calls_of_other_plugins_go_on_while_a_broken_one_is_enabled(put: Put) -> None:
    wrong = {"field": 'none: List["Nobody"] = Relationship()'}
    first, second = guests("busy_one", **family("Busy")), guests("busy_two", **wrong)
    put(first, guests("busy_two", after="raise OSError", **wrong))
    with Service(strict=False) as service, ThreadPoolExecutor(2) as pool:
        put(second)
        over = threading.Event()

        def call() -> set[Any]:
            found = {service.result("busy_one.list")}
            while not over.is_set():
                found.add(service.call("busy_one.list").body.get("result"))
            return found

        callers = [pool.submit(call) for _ in range(2)]
        try:
            for _ in range(5):
                turn(service.kernel, second.plugin, is_on=True)
                service.kernel.lifecycle.refresh()
        finally:
            over.set()
        answers = [each.result() for each in callers]
        message = reason(service.kernel, second.plugin)

    assert "models cannot be used" in message
    assert answers == [{0}, {0}]
