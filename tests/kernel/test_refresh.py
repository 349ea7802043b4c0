"""A line-up is changed while calls are under way: those finish, and what is off is gone."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.switching import doing, saying, states, turn
from litestar import get

from landyard import Job, Kernel, Plugin, hookimpl
from landyard.jobs import Runner
from landyard.states import known_switches
from landyard.testing import Service

NOT_FOUND = "ERROR_METHOD_NOT_FOUND"
PATIENCE = 30.0


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


class Gate:
    """What a handler waits at, until the test lets it go on."""

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


def off(service: Service, name: str) -> None:
    turn(service.kernel, name, is_on=False)
    service.kernel.refresh()


def test_a_call_in_flight_finishes_and_the_next_finds_nothing(
    make_service: MakeService, gate: Gate
) -> None:
    service = make_service([doing("one", gate.wait), saying("two")])
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(service.call, "one.do")
        assert gate.reached.wait(PATIENCE)
        off(service, "one")
        next_one = service.call("one.do").error
        gate.open.set()
        answer = call.result(PATIENCE)

    assert next_one == NOT_FOUND
    assert answer.result == "one"


def test_a_page_in_flight_finishes_and_the_next_is_not_there(gate: Gate) -> None:
    @hookimpl
    def register_routes(kernel: Kernel) -> list[Any]:
        @get("/one", sync_to_thread=True)
        def page() -> str:
            gate.wait()
            return "here"

        return [page]

    with Service([saying("one", register_routes=register_routes)]) as service:
        service.get("/healthz")
        with ThreadPoolExecutor(1) as pool:
            page = pool.submit(service.get, "/one")
            assert gate.reached.wait(PATIENCE)
            off(service, "one")
            next_one = service.get("/one").status_code
            gate.open.set()

            assert page.result(PATIENCE).text == "here"
    assert next_one == 404


def test_a_job_in_flight_finishes_and_its_neighbour_is_not_begun(
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
    runner = Runner(service.kernel, pause=0.02)
    runner.start()
    assert gate.reached.wait(PATIENCE)
    off(service, "one")
    gate.open.set()
    until(lambda: done)
    runner.stop(grace=PATIENCE)

    assert done == ["first"]


def test_all_workers_come_to_the_last_of_many_switches(make_service: MakeService) -> None:
    plugins = [saying("one"), saying("two"), saying("three")]
    workers = [make_service(plugins), *[make_service(plugins, world={}) for _ in range(2)]]
    over = threading.Event()
    raised: list[BaseException] = []

    def follow(kernel: Kernel) -> None:
        try:
            while not over.is_set():
                kernel.refresh()
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
        each.kernel.refresh()

    assert raised == []
    assert switches is not None
    wanted = {
        name: "enabled" if switch.is_on else "disabled"
        for name, switch in switches.switches.items()
    }
    assert [states(each.kernel) for each in workers] == [wanted] * 3


@pytest.mark.parametrize("when", ["tables", "report"])
def test_a_change_that_the_database_breaks_off_is_made_again(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    service = make_service([saying("one"), saying("two")])
    where = {"tables": "_make_tables", "report": "write_report"}[when]

    def away(*_: object) -> None:
        raise sa.exc.OperationalError("", {}, OSError("gone"))

    turn(service.kernel, "one", is_on=False)
    with monkeypatch.context() as patch:
        patch.setattr(service.kernel.assembly, where, away)
        with pytest.raises(sa.exc.OperationalError):
            service.kernel.refresh()
    service.kernel.refresh()

    assert states(service.kernel) == {"one": "disabled", "two": "enabled"}
    with service.kernel.store.session() as session:
        rows = session.execute(sa.text("SELECT name, state FROM landyard_plugin")).all()
    assert dict(map(tuple, rows)) == {"one": "disabled", "two": "enabled"}


def test_without_a_change_nothing_is_made_anew(make_service: MakeService) -> None:
    service = make_service([saying("one")])
    service.kernel.refresh()
    before = service.kernel.lineup

    service.kernel.refresh()

    assert service.kernel.lineup is before


def test_two_kernels_share_a_plugin_object_and_no_state(make_service: MakeService) -> None:
    plugin: Plugin = saying("one")
    here, there = make_service([plugin]), make_service([plugin], world={})

    off(here, "one")

    assert (states(here.kernel), states(there.kernel)) == ({"one": "disabled"}, {"one": "enabled"})
