"""SQLite's writers commit together, and none of them takes another with it."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Store
from landyard.seats import here
from landyard.store import UnitOfWork
from landyard.writers import Busy, KeptTurn, Writers

MANY = 8
Work = Callable[[UnitOfWork], Any]


class Desk:
    """A store with one table, whose first writer waits until the others queue behind it."""

    def __init__(self, folder: Path, **how: Any) -> None:
        self.store = Store(f"sqlite:///{folder / 'desk.db'}", connections=MANY + 1, **how)
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

    def run(self, work: Work) -> Any:
        """Run one; its answer, or what was raised."""
        try:
            return self.store.run(work, writes=True)
        except Exception as error:
            return error

    def together(
        self, works: list[Work], meanwhile: Callable[[], object] = lambda: None
    ) -> list[Any]:
        """Run `works` so that all of them stand in one queue; answers, or what was raised."""
        started = threading.Event()

        def first(unit: UnitOfWork) -> Any:
            if not started.is_set():
                assert unit.connection is not None  # the turn is taken
                started.set()
                wait_for(self.writers, len(works) - 1)
            return works[0](unit)

        with ThreadPoolExecutor(len(works)) as pool:
            futures = [pool.submit(self.run, first)]
            started.wait(10)
            futures += [pool.submit(self.run, work) for work in works[1:]]
            meanwhile()
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


def wait_until(true: Callable[[], bool]) -> None:
    turn = threading.Event()
    for _ in range(4000):
        if true():
            return
        turn.wait(0.005)
    raise AssertionError("it never came")


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


def test_what_is_run_again_is_alone_and_runs_no_third_time(desk: Desk) -> None:
    """However many there are whose fault it is, each time."""
    tries: list[int] = []

    def proper(unit: UnitOfWork) -> int:
        tries.append(1)
        return int(adding(1)(unit))

    def meddles(unit: UnitOfWork) -> None:
        unit.connection.connection.execute("ROLLBACK")

    told = desk.together([proper, meddles, proper, meddles, proper, meddles, meddles, proper])

    assert [each for each in told if isinstance(each, int)] == [1] * 4
    assert sum(isinstance(each, sqlite3.OperationalError) for each in told) == 4
    assert desk.values() == [1] * 4
    assert len(tries) <= 8


def test_the_one_whose_commit_fails_takes_no_other_with_it(desk: Desk) -> None:
    def dangles(unit: UnitOfWork) -> None:
        unit.connection.exec_driver_sql("INSERT INTO child VALUES (42)")

    with desk.store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE parent (id INTEGER PRIMARY KEY)"))
        child = "parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED"
        session.execute(sa.text(f"CREATE TABLE child ({child})"))

    told = desk.together([adding(1), dangles, adding(2)])

    assert [told[0], type(told[1]), told[2]] == [1, sa.exc.IntegrityError, 2]
    assert desk.values() == [1, 2]


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


@pytest.mark.parametrize("ending", ["commit", "rollback", "close", "detach"])
def test_a_handler_cannot_end_the_transaction_of_the_others(desk: Desk, ending: str) -> None:
    tries: list[int] = []

    def first(unit: UnitOfWork) -> int:
        tries.append(1)
        return int(adding(1)(unit))

    def ending_it(unit: UnitOfWork) -> None:
        adding(9)(unit)
        getattr(unit.connection, ending)()

    told = desk.together([first, ending_it, adding(2)])

    assert [told[0], type(told[1]), told[2]] == [1, RuntimeError, 2]
    assert desk.values() == [1, 2]
    assert len(tries) == 1  # they do not even run again


def test_an_answer_leaves_after_its_commit(desk: Desk) -> None:
    seen: list[list[int]] = []

    def run(value: int) -> None:
        desk.store.run(adding(value), writes=True)
        seen.append([value] if value in desk.values() else [])

    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(run, range(100)))

    assert sorted(seen) == [[value] for value in range(100)]


def keeping(value: int, free: threading.Event, owner: str = "keeper") -> Work:
    """Write, and keep the turn until it is `free`, as a plugin's code that hangs does."""

    def hang(unit: UnitOfWork) -> int:
        adding(value)(unit)
        free.wait(20)
        adding(value)(unit)
        return value

    return lambda unit: here().run(owner, hang, unit)


def test_one_that_keeps_the_turn_is_put_out_and_no_other_is_lost(tmp_path: Path) -> None:
    free = threading.Event()
    told: list[str] = []
    desk = Desk(tmp_path, hold=0.3, on_held=told.append)

    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(desk.run, keeping(2, free))
        wait_until(lambda: desk.writers._using is not None)
        assert desk.together([adding(value) for value in (1, 3, 4, 5)]) == [1, 3, 4, 5]
        assert desk.values() == [1, 3, 4, 5]
        assert told == ["keeper"]
        free.set()
        assert isinstance(hanging.result(20), KeptTurn)

    assert desk.values() == [1, 3, 4, 5]
    assert desk.run(adding(6)) == 6
    assert desk.store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    desk.store.close()


def test_one_that_takes_rows_otherwise_is_put_out_as_well(tmp_path: Path) -> None:
    free = threading.Event()
    desk = Desk(tmp_path, hold=0.3)

    def hangs(unit: UnitOfWork) -> None:
        driver: Any = unit.connection.connection.driver_connection
        driver.row_factory = lambda *_: 42
        keeping(1, free)(unit)

    with ThreadPoolExecutor(2) as pool:
        hanging = pool.submit(desk.run, lambda unit: here().run("keeper", hangs, unit))
        wait_until(lambda: desk.writers._using is not None)
        began = time.monotonic()
        assert pool.submit(desk.run, adding(2)).result(20) == 2
        assert time.monotonic() - began < 4  # SQLite itself waits for 5 seconds
        free.set()
        assert isinstance(hanging.result(20), KeptTurn)

    assert desk.values() == [2]
    desk.store.close()


def test_those_who_share_a_transaction_with_one_that_keeps_it_run_again(tmp_path: Path) -> None:
    free = threading.Event()
    tries: list[int] = []
    desk = Desk(tmp_path, hold=0.3)

    def first(unit: UnitOfWork) -> int:
        tries.append(1)
        return int(adding(1)(unit))

    def first_is_done() -> None:
        wait_until(lambda: desk.values() == [1])
        free.set()

    told = desk.together([first, keeping(2, free)], meanwhile=first_is_done)

    assert told[0] == 1
    assert isinstance(told[1], KeptTurn)
    assert len(tries) == 2
    assert desk.values() == [1]
    desk.store.close()


def test_nobody_is_put_out_for_the_kernels_own_work(tmp_path: Path) -> None:
    free = threading.Event()
    desk = Desk(tmp_path, hold=0.1)

    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(desk.run, keeping(1, free, owner=""))
        wait_until(lambda: desk.writers._using is not None)
        other = pool.submit(desk.run, adding(2))
        free.wait(0.8)
        free.set()
        assert [long.result(20), other.result(20)] == [1, 2]

    assert desk.values() == [1, 1, 2]
    desk.store.close()


def test_a_statement_that_runs_on_and_on_is_interrupted(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    desk = Desk(tmp_path, hold=0.3)

    def counts(unit: UnitOfWork) -> Any:
        adding(1)(unit)
        return unit.connection.execute(sa.text(endless)).scalar()

    with ThreadPoolExecutor(2) as pool:
        endless_call = pool.submit(desk.run, lambda unit: here().run("keeper", counts, unit))
        wait_until(lambda: desk.writers._using is not None)
        assert pool.submit(desk.run, adding(2)).result(20) == 2
        assert isinstance(endless_call.result(20), KeptTurn)

    assert desk.values() == [2]
    desk.store.close()


@pytest.mark.parametrize("endless", [False, True])
def test_one_with_a_result_half_read_keeps_no_lock(tmp_path: Path, endless: bool) -> None:
    """SQLite interrupts whatever is begun while one is, and closes no connection under it."""
    free = threading.Event()
    desk = Desk(tmp_path, hold=0.3)
    desk.together([adding(value) for value in range(MANY)])
    rows = "SELECT a.value FROM one a, one b, one c"
    on_and_on = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    )
    kept: list[Any] = []

    def reads(unit: UnitOfWork) -> None:
        adding(100)(unit)
        result = unit.connection.execute(sa.text(rows))
        kept.extend([result, result.fetchone()])
        if endless:
            unit.connection.execute(sa.text(on_and_on))
        free.wait(20)

    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(desk.run, lambda unit: here().run("keeper", reads, unit))
        wait_until(lambda: desk.writers._using is not None)
        began = time.monotonic()
        assert pool.submit(desk.run, adding(8)).result(20) == 8
        assert time.monotonic() - began < 4  # SQLite itself waits for 5 seconds
        free.set()
        assert isinstance(reading.result(20), KeptTurn)

    assert desk.values() == list(range(MANY + 1))
    desk.store.close()
