"""The time limit: whoever calls has an answer, the thread is free again, and nothing is kept."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Store
from landyard.seats import here
from landyard.store import UnitOfWork
from landyard.tasks import TimeIsUp
from landyard.workers import Workers

# The interpreter drops what is raised in a destructor: the thread is asked to stop once more.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SOON = 0.3  # seconds, the limit
LONG = 60.0


class Desk:
    """Workers that do the calls of plugins as the dispatcher does, on a database."""

    def __init__(self, folder: Path, hold: float = 5.0) -> None:
        self.told: list[tuple[str, float]] = []
        self.store = Store(f"sqlite:///{folder / 'desk.db'}", hold=hold)
        self.workers = Workers(2, on_overrun=lambda owner, limit: self.told.append((owner, limit)))
        with self.store.session(writes=True) as session:
            session.execute(sa.text("CREATE TABLE one (value INTEGER)"))

    def call(self, owner: str, handler: Callable[[UnitOfWork], Any]) -> Any:
        def answer(unit: UnitOfWork) -> Any:
            seat = here()
            result = seat.run(owner, handler, unit)
            seat.settle()
            return result

        return self.store.run(answer, writes=True)

    async def run(
        self, owner: str, handler: Callable[[UnitOfWork], Any], limit: float = SOON
    ) -> Any:
        work = self.workers.run(self.call, owner, handler, owner=owner, seconds=limit)
        return await asyncio.wait_for(work, 30)

    def answer(
        self, handler: Callable[[UnitOfWork], Any], owner: str = "slow", limit: float = SOON
    ) -> Any:
        return asyncio.run(self.run(owner, handler, limit))

    def values(self) -> list[int]:
        with self.store.session() as session:
            return sorted(session.execute(sa.text("SELECT value FROM one")).scalars())


def add(unit: UnitOfWork, value: int = 1) -> int:
    unit.connection.execute(sa.text("INSERT INTO one VALUES (:value)"), {"value": value})
    return value


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.workers.close(grace=0.5)
    desk.store.close()


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


never = threading.Event()
held = threading.Lock()
held.acquire()


def spins(unit: UnitOfWork) -> None:
    while True:
        pass


def sleeps(unit: UnitOfWork) -> None:
    time.sleep(8)


def waits_for_a_lock(unit: UnitOfWork) -> None:
    held.acquire(timeout=8)


def swallows_exceptions(unit: UnitOfWork) -> None:
    while True:
        try:
            never.wait(0.001)
        except Exception:
            continue


def swallows_everything_once(unit: UnitOfWork) -> str:
    try:
        spins(unit)
    except BaseException:
        return "an answer that comes too late"
    raise AssertionError


def makes_another_error_of_it(unit: UnitOfWork) -> None:
    try:
        spins(unit)
    except BaseException:
        raise ValueError from None


ALL: list[Callable[[UnitOfWork], Any]] = [spins, sleeps, waits_for_a_lock]
ALL += [swallows_exceptions, swallows_everything_once, makes_another_error_of_it]


@pytest.mark.parametrize("handler", ALL)
def test_whoever_calls_is_answered_and_nothing_is_kept(
    desk: Desk, handler: Callable[[UnitOfWork], Any]
) -> None:
    def writes_first(unit: UnitOfWork) -> Any:
        add(unit)
        return handler(unit)

    began = time.monotonic()
    with pytest.raises(TimeIsUp) as told:
        desk.answer(writes_first)

    assert time.monotonic() - began < 7  # not when the handler ends
    assert (told.value.owner, told.value.seconds) == ("slow", SOON)
    assert desk.answer(lambda unit: add(unit, 2), limit=20) == 2
    assert desk.values() == [2]
    assert desk.told == [("slow", SOON)]


def test_a_thread_that_was_interrupted_ends_and_another_takes_its_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard.workers.LINGER", 0.2)
    names = set()

    def note(unit: UnitOfWork) -> None:
        names.add(threading.current_thread())
        spins(unit)

    with pytest.raises(TimeIsUp):
        desk.answer(note)

    (interrupted,) = names
    interrupted.join(20)
    assert not interrupted.is_alive()
    until(lambda: len(desk.workers._threads) == 2)
    assert [desk.answer(lambda unit: 1, limit=20) for _ in range(8)] == [1] * 8


def test_a_connection_that_was_interrupted_is_not_used_again(desk: Desk) -> None:
    seen: list[sqlite3.Connection] = []

    def note(unit: UnitOfWork) -> None:
        driver = unit.connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        seen.append(driver)
        if len(seen) == 1:
            spins(unit)

    with pytest.raises(TimeIsUp):
        desk.answer(note)
    for _ in range(6):
        desk.answer(note, limit=20)

    assert not any(each is seen[0] for each in seen[1:])
    assert desk.store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        seen[0].execute("SELECT 1")


def test_one_that_cannot_be_stopped_loses_its_turn_to_write(tmp_path: Path) -> None:
    desk = Desk(tmp_path, hold=60)
    free = threading.Event()
    late: list[BaseException] = []

    def hangs(unit: UnitOfWork) -> None:
        add(unit)
        try:
            free.wait(30)
        finally:
            try:
                add(unit)
            except BaseException as error:
                late.append(error)

    with pytest.raises(TimeIsUp):
        desk.answer(hangs)
    began = time.monotonic()
    assert desk.answer(lambda unit: add(unit, 2), limit=20) == 2
    assert time.monotonic() - began < 8

    free.set()
    until(lambda: len(late) == 1)
    until(lambda: desk.store.engine.pool.checkedout() == 0)  # type: ignore[attr-defined]
    assert desk.values() == [2]
    desk.workers.close(grace=5)
    desk.store.close()


def test_the_same_holds_for_one_that_reads(desk: Desk) -> None:
    def looks(unit: UnitOfWork) -> None:
        unit.connection.execute(sa.text("SELECT * FROM one")).all()
        spins(unit)

    def read() -> None:
        desk.store.run(lambda unit: here().run("slow", looks, unit), writes=False)

    with pytest.raises(TimeIsUp):
        asyncio.run(desk.workers.run(read, owner="slow", seconds=SOON))

    until(lambda: desk.store.engine.pool.checkedout() == 0)  # type: ignore[attr-defined]
    assert desk.answer(add, limit=20) == 1


def test_an_answer_that_stands_is_not_taken_back(desk: Desk) -> None:
    def settles_first() -> str:
        here().settle()
        never.wait(2 * SOON)
        return "kept"

    async def answer() -> str:
        return await desk.workers.run(settles_first, owner="slow", seconds=SOON)

    assert asyncio.run(answer()) == "kept"
    assert desk.told == []


def test_what_hangs_behind_an_answer_is_stopped_and_the_answer_stands(desk: Desk) -> None:
    def act(unit: UnitOfWork) -> str:
        unit.when_kept(lambda: spins(unit))
        return str(add(unit))

    assert desk.answer(act) == "1"
    assert desk.values() == [1]
    assert desk.told == [("slow", SOON)]


def test_waiting_for_the_database_is_nobodys_fault(desk: Desk) -> None:
    free = threading.Event()
    holding = threading.Event()

    def holds(unit: UnitOfWork) -> int:
        add(unit, 1)
        holding.set()
        free.wait(20)
        return 1

    async def both() -> int:
        first = asyncio.ensure_future(desk.run("one", holds, LONG))
        while not holding.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(0.01)
        with pytest.raises(TimeIsUp) as told:
            await desk.run("two", lambda unit: add(unit, 2))
        assert told.value.owner == ""
        free.set()
        return int(await first)

    assert asyncio.run(both()) == 1

    until(lambda: desk.told == [("", SOON)])
    until(lambda: not desk.store._writers._turn.locked())  # type: ignore[union-attr]
    assert desk.values() == [1]


def test_an_inner_transaction_is_whole_or_not_at_all(desk: Desk) -> None:
    """A handler's `apart`: the strike comes inside its work, or outside of the transaction."""

    def apart(_unit: UnitOfWork) -> None:
        while True:
            desk.store.run(lambda inner: [add(inner, value) for value in (1, 2)], writes=True)

    with pytest.raises(TimeIsUp):
        desk.answer(apart)

    until(lambda: not desk.store._writers._turn.locked())  # type: ignore[union-attr]
    values = desk.values()
    assert values.count(1) == values.count(2) > 0
    assert desk.answer(lambda unit: add(unit, 3), limit=20) == 3


@pytest.mark.postgres
def test_a_postgres_server_ends_a_transaction_in_which_nothing_happens(postgres_url: str) -> None:
    store = Store(postgres_url)
    with store.session() as session:
        told = session.execute(sa.text("SHOW idle_in_transaction_session_timeout")).scalar()
    store.close()

    assert told == "1min"


@pytest.mark.postgres
def test_a_server_that_does_not_answer_is_nobodys_fault(postgres_url: str) -> None:
    store = Store(postgres_url)
    workers = Workers(1)

    def asks(unit: UnitOfWork) -> None:
        unit.connection.execute(sa.text("SELECT pg_sleep(2)"))

    def read() -> None:
        store.run(lambda unit: here().run("slow", asks, unit), writes=False)

    with pytest.raises(TimeIsUp) as told:
        asyncio.run(workers.run(read, owner="slow", seconds=SOON))

    assert told.value.owner == ""
    workers.close(grace=20)
    assert store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    store.close()
