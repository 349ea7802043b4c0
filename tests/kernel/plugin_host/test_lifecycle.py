"""Plugins are switched while calls run: running calls finish, and later ones find the new state."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.supervised import until
from kernel.switching import doing, reason, saying, states, turn, turn_off
from litestar import get

from landyard import Host, Job, Kernel, Plugin, Settings, Tables, hookimpl
from landyard.plugin_host.switches import known_switches
from landyard.serving.jobs import JobRunner
from landyard.testing import Service

NOT_FOUND = "ERROR_METHOD_NOT_FOUND"
PATIENCE = 30.0


class Gate:
    """A gate at which a handler waits until the test opens it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.open.wait(PATIENCE)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


def test_a_running_call_finishes_and_the_next_finds_no_method(
    make_service: MakeService, gate: Gate
) -> None:
    service = make_service([doing("one", lambda _: gate.wait()), saying("two")])
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(service.call, "one.do")
        assert gate.reached.wait(PATIENCE)
        turn_off(service.kernel, "one")
        next_one = service.call("one.do").error
        gate.open.set()
        answer = call.result(PATIENCE)

    assert next_one == NOT_FOUND
    assert answer.result == "one"


def test_a_running_page_finishes_and_the_next_is_missing(gate: Gate) -> None:
    @hookimpl
    def register_routes(host: Host) -> list[Any]:
        @get("/one")
        def page() -> str:
            gate.wait()
            return "here"

        return [page]

    with Service([saying("one", register_routes=register_routes)]) as service:
        service.get("/healthz")
        with ThreadPoolExecutor(1) as pool:
            page = pool.submit(service.get, "/one")
            assert gate.reached.wait(PATIENCE)
            turn_off(service.kernel, "one")
            next_one = service.get("/one").status_code
            gate.open.set()

            assert page.result(PATIENCE).text == "here"
    assert next_one == 404


def test_a_running_job_finishes_and_the_next_is_not_begun(
    make_service: MakeService, gate: Gate
) -> None:
    done: list[str] = []

    def first(_kernel: Kernel) -> None:
        gate.wait()
        done.append("first")

    @hookimpl
    def register_jobs() -> list[Job]:
        hour = timedelta(hours=1)
        return [Job("one.a", hour, first), Job("one.b", hour, lambda _: done.append("second"))]

    service = make_service([saying("one", register_jobs=register_jobs)])
    runner = JobRunner(service.kernel, pause=0.02)
    runner.start()
    assert gate.reached.wait(PATIENCE)
    turn_off(service.kernel, "one")
    gate.open.set()
    until(lambda: done)
    runner.stop(grace=PATIENCE)

    assert done == ["first"]


def test_all_workers_reach_the_last_of_many_switches(make_service: MakeService) -> None:
    plugins = [saying("one"), saying("two"), saying("three")]
    workers = [make_service(plugins), *[make_service(plugins, world={}) for _ in range(2)]]
    over = threading.Event()
    raised: list[BaseException] = []

    def follow(kernel: Kernel) -> None:
        try:
            while not over.is_set():
                kernel.lifecycle.refresh()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=follow, args=(each.kernel,)) for each in workers[1:]]
    for thread in threads:
        thread.start()
    chance = random.Random(7)
    for _ in range(200):
        turn(workers[0].kernel, chance.choice(["one", "two", "three"]), is_on=chance.random() < 0.5)
    over.set()
    for thread in threads:
        thread.join(PATIENCE)
    switches = known_switches(workers[0].kernel.store)
    for each in workers:
        each.kernel.lifecycle.refresh()

    assert raised == []
    assert switches is not None
    wanted = {
        name: "enabled" if switch.is_on else "disabled"
        for name, switch in switches.switches.items()
    }
    assert [states(each.kernel) for each in workers] == [wanted] * 3


@pytest.mark.parametrize("when", ["tables", "report"])
def test_a_switch_that_the_database_aborts_is_tried_again(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    service = make_service([saying("one"), saying("two")])
    where = {"tables": "_settle", "report": "write_report"}[when]

    def away(*_: object, **__: object) -> None:
        raise sa.exc.OperationalError("", {}, OSError("gone"))

    turn(service.kernel, "one", is_on=False)
    with monkeypatch.context() as patch:
        patch.setattr(service.kernel.lifecycle, where, away)
        with pytest.raises(sa.exc.OperationalError):
            service.kernel.lifecycle.refresh()
    service.kernel.lifecycle.refresh()

    assert states(service.kernel) == {"one": "disabled", "two": "enabled"}
    with service.kernel.store.session() as session:
        rows = session.execute(sa.text("SELECT name, state FROM landyard_plugin")).all()
    assert dict(map(tuple, rows)) == {"one": "disabled", "two": "enabled"}


class Broken:
    """A plugin whose tables cannot be made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "broken_0001.py").write_text(
            'revision = "broken_0001"\ndown_revision = None\n'
            "def upgrade():\n    raise SystemExit(3)\n"
        )

    @hookimpl
    def register_tables(self) -> Tables:
        return Tables("broken", self.folder)


def test_a_migration_that_raises_a_BaseException_fails_its_plugin(tmp_path: Path) -> None:
    with Service([Plugin("broken", Broken(tmp_path))], strict=False) as service:
        assert states(service.kernel) == {"broken": "failed"}


def test_a_left_out_plugin_has_failed_and_is_tried_when_it_is_enabled(
    tmp_path: Path,
) -> None:
    """A supervisor starts a service this way, without the plugin that ended its process."""
    settings = Settings(data=tmp_path)
    kernel = Kernel(settings, [saying("one"), saying("two")], left_out={"one": "it hangs"})
    kernel.prepare()
    stood = states(kernel), reason(kernel, "one")
    turn(kernel, "one", is_on=True)
    kernel.lifecycle.refresh()

    assert stood == ({"one": "failed", "two": "enabled"}, "it hangs")
    assert states(kernel)["one"] == "enabled"
    kernel.close()
