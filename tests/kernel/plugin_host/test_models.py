"""A plugin whose models are unusable fails, and calls of other plugins go on."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from faulty.guests import BASE, family, guests
from faulty.kit import Fault, install
from kernel.switching import reason, states, turn
from sqlalchemy.exc import InvalidRequestError

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
    "class": family(),
    "table": {"table": "faulty_{0}_one_guest"},
    "column added": {
        "before": 'Table("faulty_{0}_one_guest", METADATA, Column("more", Integer),'
        " extend_existing=True)"
    },
    "relationship": {"field": 'none: List["Nobody"] = Relationship()'},
    "no key": {"before": "class Odd(SQLModel, table=True):\n    name: str"},
    "foreign key": {
        "before": "class Odd(SQLModel, table=True):\n"
        "    id: int = Field(primary_key=True, foreign_key='nowhere.id')\n"
        "    more: Optional['Odd'] = Relationship()"
    },
}


@pytest.mark.parametrize("kind", CLASHING)
def test_a_plugin_with_unusable_models_fails_alone(put: Put, kind: str) -> None:
    word = kind.replace(" ", "_")
    said = {key: text.replace("{0}", word) for key, text in CLASHING[kind].items()}
    first = guests(f"{word}_one", **(family() if kind == "class" else {}))
    culprit, last = guests(f"{word}_two", **said), guests(f"{word}_z")
    put(first, culprit, last)

    with Service(strict=False) as service:
        found = enabled(service, first, culprit, last)
        answers = [service.call(f"{each.name}.list").body.get("result") for each in (first, last)]
        failed = {name for name, state in states(service.kernel).items() if state == "failed"}

    assert found == [first.name, last.name]
    assert answers == [0, 0]
    assert failed == {culprit.plugin}


_BROKEN_MODEL = """
    class Late(SQLModel, table=True):
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


def test_a_broken_model_declared_in_a_call_fails_that_call(put: Put) -> None:
    first, culprit = guests("late_one"), guests("late_two", after=_IN_CALL.format("late_two"))
    put(first, culprit)

    with Service(strict=False) as service:
        with pytest.raises(InvalidRequestError):
            service.call("late_two.late")
        answers = [service.result(f"{each.name}.list") for each in (first, culprit)]

    assert answers == [0, 0]


def test_the_plugin_that_already_has_the_table_is_named(put: Put) -> None:
    put(guests("named_one"), guests("named_two", table="faulty_named_one_guest"))

    with Service(strict=False) as service:
        message = reason(service.kernel, "faulty_named_two")

    assert "faulty_named_one_guest" in message
    assert "'faulty_named_one'" in message


def test_plugins_with_a_base_of_their_own_may_have_classes_of_one_name(put: Put) -> None:
    own = {**family(), "base": BASE, "parent": "Base"}
    first, second = guests("own_one", **own), guests("own_two", **own)
    put(first, second)

    with Service() as service:
        answers = [service.result(f"{each.name}.list") for each in (first, second)]

    assert answers == [0, 0]


def test_a_model_of_a_base_of_its_own_needs_a_migration_too(put: Put) -> None:
    odd = "class Odd(Base, table=True):\n    __tablename__ = 'faulty_bare_odd'\n"
    odd += "    id: int | None = Field(default=None, primary_key=True)"
    put(guests("bare", base=BASE, parent="Base", before=odd))

    with Service(strict=False) as service:
        assert states(service.kernel)["faulty_bare"] == "failed"
        assert "faulty_bare_odd" in reason(service.kernel, "faulty_bare")


BROKEN = {
    "import": {"after": "raise OSError"},
    "hook": {"after": "@hookimpl\ndef register_jobs():\n    1 / 0"},
    "models": {"field": 'none: List["Nobody"] = Relationship()'},
    "name": {"method": "landing.block.getlist"},
    "migration": {"migrates": "1 / 0"},
    "routes": {"after": "@hookimpl\ndef register_routes(host):\n    1 / 0"},
    "requires": {"after": "requires = tuple(['not_there'])"},
}


@pytest.mark.parametrize("part", BROKEN)
@pytest.mark.parametrize("parent", ["SQLModel", "Base"])
def test_a_repaired_plugin_can_be_enabled_in_the_running_service(
    put: Put, part: str, parent: str
) -> None:
    name = f"mended_{part}_{parent}".lower().replace(" ", "_")
    own = {"base": BASE, "parent": parent, **family(name.title().replace("_", ""))}
    broken = {key: text.replace("mended", name) for key, text in BROKEN[part].items()}
    put(guests(name, **{**own, **broken}))
    with Service(strict=False) as service:
        service.get("/healthz")
        before = states(service.kernel)[f"faulty_{name}"]
        put(guests(name, **own))
        turn(service.kernel, f"faulty_{name}", is_on=True)
        service.kernel.lifecycle.refresh()

        assert before == "failed"
        assert reason(service.kernel, f"faulty_{name}") == ""
        assert service.result(f"{name}.list") == 0


def test_calls_of_other_plugins_go_on_while_a_clashing_one_is_enabled(put: Put) -> None:
    first, second = guests("busy_one", **family("Busy")), guests("busy_two", **family("Busy"))
    put(first, guests("busy_two", after="raise OSError"))
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
