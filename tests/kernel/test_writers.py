"""SQLite's writers commit together, and none of them takes another with it."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Store
from landyard.store import UnitOfWork
from landyard.writers import Busy, Writers

MANY = 8
Work = Callable[[UnitOfWork], Any]


class Desk:
    """A store with one table, whose first writer waits until the others queue behind it."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(f"sqlite:///{folder / 'desk.db'}", connections=MANY + 1)
        self.commits = 0
        self.fail_commits = 0
        with self.store.session(writes=True) as session:
            session.execute(sa.text("CREATE TABLE one (value INTEGER)"))
        sa.event.listen(self.store.engine, "commit", self._committing)

    def _committing(self, connection: sa.Connection) -> None:
        self.commits += 1
        if self.fail_commits:
            self.fail_commits -= 1
            connection.connection.execute("ROLLBACK")
            raise sqlite3.OperationalError("disk I/O error")

    def together(self, works: list[Work]) -> list[Any]:
        """Run `works` so that all of them stand in one queue; answers, or what was raised."""
        started = threading.Event()

        def first(unit: UnitOfWork) -> Any:
            if not started.is_set():
                assert unit.connection is not None  # the turn is taken
                started.set()
                wait_for(self.writers, len(works) - 1)
            return works[0](unit)

        def run(work: Work) -> Any:
            try:
                return self.store.run(work, writes=True)
            except Exception as error:
                return error

        with ThreadPoolExecutor(len(works)) as pool:
            futures = [pool.submit(run, first)]
            started.wait(10)
            futures += [pool.submit(run, work) for work in works[1:]]
            return [future.result(20) for future in futures]

    @property
    def writers(self) -> Writers:
        assert self.store._writers is not None
        return self.store._writers

    def values(self) -> list[int]:
        with self.store.session() as session:
            return sorted(session.execute(sa.text("SELECT value FROM one")).scalars())


def wait_for(writers: Writers, waiting: int) -> None:
    turn = threading.Event()
    for _ in range(1000):
        if writers._waiting >= waiting:
            return
        turn.wait(0.005)
    raise AssertionError(f"{writers._waiting} of {waiting} came")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.store.close()


def adding(value: int, then: Exception | None = None) -> Work:
    def work(unit: UnitOfWork) -> int:
        unit.connection.execute(sa.text("INSERT INTO one VALUES (:value)"), {"value": value})
        if then is not None:
            raise then
        return value

    return work


def test_writers_that_queue_commit_together(desk: Desk) -> None:
    assert desk.together([adding(value) for value in range(MANY)]) == list(range(MANY))

    assert desk.commits == 1
    assert desk.values() == list(range(MANY))


def test_one_that_fails_takes_no_other_with_it(desk: Desk) -> None:
    wrong = ValueError()
    works = [adding(value, wrong if value % 2 else None) for value in range(MANY)]

    told = desk.together(works)

    assert told == [wrong if value % 2 else value for value in range(MANY)]
    assert desk.values() == [0, 2, 4, 6]


def test_the_last_one_that_fails_commits_for_the_others(desk: Desk) -> None:
    wrong = ValueError()

    assert desk.together([adding(1), adding(2, wrong)]) == [1, wrong]
    assert desk.values() == [1]


def test_a_commit_that_fails_is_run_again_by_each(desk: Desk) -> None:
    desk.fail_commits = 1

    assert desk.together([adding(value) for value in range(MANY)]) == list(range(MANY))
    assert desk.values() == list(range(MANY))


def test_commits_that_keep_failing_tell_each_and_keep_nothing(desk: Desk) -> None:
    desk.fail_commits = 10_000

    told = desk.together([adding(value) for value in range(3)])

    assert [str(each) for each in told] == ["disk I/O error"] * 3
    desk.fail_commits = 0
    assert desk.values() == []


def test_a_transaction_that_sqlite_gives_up_is_run_again_by_each(desk: Desk) -> None:
    tries: list[int] = []

    def rolled_back(unit: UnitOfWork) -> int:
        tries.append(1)
        if len(tries) == 1:
            unit.connection.connection.execute("ROLLBACK")  # as SQLITE_FULL or SQLITE_IOERR do
        return 2

    assert desk.together([adding(1), rolled_back, adding(3)]) == [1, 2, 3]
    assert desk.values() == [1, 3]
    assert len(tries) == 2


def test_a_session_that_rolls_back_ends_its_own_work_alone(desk: Desk) -> None:
    def undecided(unit: UnitOfWork) -> None:
        unit.session.execute(sa.text("INSERT INTO one VALUES (7)"))
        unit.session.rollback()
        unit.session.execute(sa.text("INSERT INTO one VALUES (8)"))

    assert desk.together([adding(1), undecided, adding(2)]) == [1, None, 2]
    assert desk.values() == [1, 2, 8]


def test_one_whose_patience_ends_leaves_the_others_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()

    def slow(unit: UnitOfWork) -> int:
        adding(1)(unit)
        gone.wait(10)
        return 1

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.store.run, slow, writes=True)
        while not desk.writers._turn.locked():
            gone.wait(0.005)
        monkeypatch.setattr("landyard.store.PATIENCE", 0.05)
        second = pool.submit(desk.store.run, adding(2), writes=True)
        with pytest.raises(Busy):
            second.result(10)
        gone.set()
        assert first.result(10) == 1

    assert desk.values() == [1]
    assert desk.store.run(adding(3), writes=True) == 3


@pytest.mark.parametrize("ending", ["commit", "rollback"])
def test_a_handler_cannot_end_the_transaction_of_the_others(desk: Desk, ending: str) -> None:
    def ending_it(unit: UnitOfWork) -> None:
        adding(9)(unit)
        getattr(unit.connection, ending)()

    told = desk.together([adding(1), ending_it, adding(2)])

    assert [told[0], type(told[1]), told[2]] == [1, RuntimeError, 2]
    assert desk.values() == [1, 2]


def test_an_answer_leaves_after_its_commit(desk: Desk) -> None:
    seen: list[list[int]] = []

    def run(value: int) -> None:
        desk.store.run(adding(value), writes=True)
        seen.append([value] if value in desk.values() else [])

    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(run, range(100)))

    assert sorted(seen) == [[value] for value in range(100)]
