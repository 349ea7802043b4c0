"""Group commit: SQLite's writers commit together, and a failing one takes no other with it."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from kernel.supervised import until

from landyard import Store
from landyard.core.errors import DeadlineExceeded, Unavailable
from landyard.core.timing import NO_DEADLINE, Deadline
from landyard.storage.group_commit import GroupCommit
from landyard.storage.store import Busy, UnitOfWork, WriteLock

MANY = 8
Work = Callable[[UnitOfWork], Any]


class Desk:
    """A store with one table, whose first writer waits until the others are queued."""

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

    def run(self, work: Work, deadline: Deadline = NO_DEADLINE, label: str = "") -> Any:
        """Run one work; return its result, or the exception it raised."""
        try:
            return self.store.run(work, writes=True, deadline=deadline, label=label)
        except Exception as error:
            return error

    def together(self, works: list[Work], deadlines: Sequence[Deadline] = ()) -> list[Any]:
        """Run `works` so that all of them are in one queue; return results or exceptions."""
        started = threading.Event()
        deadlines = deadlines or [NO_DEADLINE] * len(works)

        def first(unit: UnitOfWork) -> Any:
            if not started.is_set():
                assert unit.connection is not None  # this takes the write lock
                started.set()
                until(lambda: len(self.queue._waiting) >= len(works) - 1)
            return works[0](unit)

        with ThreadPoolExecutor(len(works)) as pool:
            futures = [pool.submit(self.run, first, deadlines[0])]
            started.wait(10)
            rest = zip(works[1:], deadlines[1:], strict=True)
            futures += [pool.submit(self.run, *each) for each in rest]
            return [future.result(20) for future in futures]

    @property
    def queue(self) -> GroupCommit:
        return self.store.group_commit

    def values(self) -> list[int]:
        with self.store.session() as session:
            return sorted(session.execute(sa.text("SELECT value FROM one")).scalars())


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


def test_queued_writers_commit_together(desk: Desk) -> None:
    assert desk.together([adding(value) for value in range(MANY)]) == list(range(MANY))

    assert desk.commits == 1
    assert desk.values() == list(range(MANY))


def test_a_failing_writer_takes_no_other_with_it(desk: Desk) -> None:
    wrong = ValueError()
    works = [adding(value, wrong if value % 2 else None) for value in range(MANY)]

    outcomes = desk.together(works)

    assert outcomes == [wrong if value % 2 else value for value in range(MANY)]
    assert desk.values() == [0, 2, 4, 6]


def test_after_a_failed_commit_each_writer_runs_again(desk: Desk) -> None:
    desk.fail_commits = 1

    assert desk.together([adding(value) for value in range(MANY)]) == list(range(MANY))
    assert desk.values() == list(range(MANY))


def test_commits_that_keep_failing_fail_each_writer_and_keep_nothing(desk: Desk) -> None:
    """Their deadlines may expire again, because nothing of them is stored."""
    deadlines = [Deadline(0.0) for _ in range(3)]
    desk.fail_commits = 10_000

    outcomes = desk.together([adding(value) for value in range(3)], deadlines)

    assert all(isinstance(each, Unavailable) for each in outcomes)
    assert [str(each.__cause__) for each in outcomes] == ["disk I/O error"] * 3
    assert [each.expire() for each in deadlines] == [True] * 3
    desk.fail_commits = 0
    assert desk.values() == []


def test_a_writer_that_runs_again_runs_alone_and_no_third_time(desk: Desk) -> None:
    """However many of the writers are at fault."""
    tries: list[int] = []

    def proper(unit: UnitOfWork) -> int:
        tries.append(1)
        return int(adding(1)(unit))

    def meddles(unit: UnitOfWork) -> None:
        unit.connection.connection.execute("ROLLBACK")  # as SQLITE_FULL or SQLITE_IOERR do

    outcomes = desk.together([proper, meddles, proper, meddles, proper, meddles, meddles, proper])

    assert [each for each in outcomes if isinstance(each, int)] == [1] * 4
    assert sum(isinstance(each, sqlite3.OperationalError) for each in outcomes) == 4
    assert desk.values() == [1] * 4
    assert len(tries) <= 8


def test_a_writer_whose_commit_fails_takes_no_other_with_it(desk: Desk) -> None:
    def dangles(unit: UnitOfWork) -> None:
        unit.connection.exec_driver_sql("INSERT INTO child VALUES (42)")

    with desk.store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE parent (id INTEGER PRIMARY KEY)"))
        child = "parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED"
        session.execute(sa.text(f"CREATE TABLE child ({child})"))

    outcomes = desk.together([adding(1), dangles, adding(2)])

    assert [outcomes[0], type(outcomes[1]), outcomes[2]] == [1, sa.exc.IntegrityError, 2]
    assert desk.values() == [1, 2]


def test_a_session_that_rolls_back_ends_only_its_own_work(desk: Desk) -> None:
    def undecided(unit: UnitOfWork) -> None:
        unit.session.execute(sa.text("INSERT INTO one VALUES (7)"))
        unit.session.rollback()
        unit.session.execute(sa.text("INSERT INTO one VALUES (8)"))

    assert desk.together([adding(1), undecided, adding(2)]) == [1, None, 2]
    assert desk.values() == [1, 2, 8]


def test_a_writer_that_stops_waiting_leaves_the_others_alone(desk: Desk) -> None:
    free = threading.Event()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(desk.run, keeping(1, free))
        until(lambda: desk.store.write_lock.held_since is not None)
        desk.store.patience = 0.05
        assert isinstance(desk.run(adding(2)), Busy)
        free.set()
        assert first.result(10) == 1

    assert desk.values() == [1]
    desk.store.patience = 10
    assert desk.run(adding(3)) == 3


@pytest.mark.parametrize("ending", ["commit", "rollback", "close"])
def test_a_handler_cannot_end_the_transaction_of_the_others(desk: Desk, ending: str) -> None:
    tries: list[int] = []

    def first(unit: UnitOfWork) -> int:
        tries.append(1)
        return int(adding(1)(unit))

    def ending_it(unit: UnitOfWork) -> None:
        adding(9)(unit)
        getattr(unit.connection, ending)()

    outcomes = desk.together([first, ending_it, adding(2)])

    assert [outcomes[0], type(outcomes[1]), outcomes[2]] == [1, RuntimeError, 2]
    assert desk.values() == [1, 2]
    assert len(tries) == 1  # they do not even run again


def test_an_answer_leaves_after_its_commit(desk: Desk) -> None:
    recorded: list[list[int]] = []

    def run(value: int) -> None:
        desk.store.run(adding(value), writes=True)
        recorded.append([value] if value in desk.values() else [])

    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(run, range(100)))

    assert sorted(recorded) == [[value] for value in range(100)]


def keeping(value: int, free: threading.Event) -> Work:
    """Write, and keep the lock until it is `free`, as a hanging handler does."""

    def work(unit: UnitOfWork) -> int:
        adding(value)(unit)
        free.wait(20)
        return value

    return work


def expiring(value: int, deadline: Deadline) -> Work:
    """Write, and take longer than the caller waits."""

    def work(unit: UnitOfWork) -> int:
        adding(value)(unit)
        assert deadline.expire()
        return value

    return work


def kinds(answers: list[Any]) -> list[Any]:
    return [type(each) if isinstance(each, Exception) else each for each in answers]


@pytest.mark.parametrize("late", [0, 1, 3])
def test_a_late_writer_keeps_nothing_and_the_others_run_again(desk: Desk, late: int) -> None:
    deadlines = [Deadline(0.0) for _ in range(4)]
    tries: list[int] = []

    def counted(value: int) -> Work:
        def work(unit: UnitOfWork) -> Any:
            tries.append(value)
            return (expiring(value, deadlines[value]) if value == late else adding(value))(unit)

        return work

    outcomes = desk.together([counted(value) for value in range(4)], deadlines)

    others = [value for value in range(4) if value != late]
    assert kinds(outcomes) == [DeadlineExceeded if value == late else value for value in range(4)]
    assert desk.values() == others
    assert tries.count(late) == 1  # its caller waits no longer, so it does not run again
    assert [each.settled for each in deadlines] == [int(value != late) for value in range(4)]


def test_a_writer_whose_time_ends_while_it_waits_for_the_commit_keeps_nothing(desk: Desk) -> None:
    """Another writer hangs in the transaction; both threads return, and nothing is kept."""
    free = threading.Event()
    hanging, waiting = Deadline(0.0), Deadline(0.0)

    def late(unit: UnitOfWork) -> int:
        adding(2)(unit)
        until(lambda: desk.queue._group is not None and desk.queue._group.size == 1)
        assert waiting.expire()  # its caller is answered, though its thread still waits
        assert hanging.expire()
        free.wait(0.2)
        return 2

    outcomes = desk.together([adding(1), late], [waiting, hanging])

    assert kinds(outcomes) == [DeadlineExceeded, DeadlineExceeded]
    assert desk.values() == []
    assert desk.run(adding(3)) == 3


def test_a_failing_writer_is_not_settled_and_not_asked_for_its_deadline(desk: Desk) -> None:
    wrong, late = ValueError(), Deadline(0.0)

    def fails(unit: UnitOfWork) -> None:
        expiring(1, late)(unit)
        raise wrong

    assert desk.together([adding(2), fails, adding(3)], [Deadline(0.0), late, Deadline(0.0)]) == [
        2,
        wrong,
        3,
    ]
    assert desk.commits == 1
    assert desk.values() == [2, 3]


def test_nothing_is_committed_where_all_writers_fail(desk: Desk) -> None:
    wrong = ValueError()

    assert desk.together([adding(1, wrong), adding(2, wrong)]) == [wrong, wrong]
    assert desk.commits == 0


def test_in_the_race_of_commit_and_deadline_the_caller_is_told_the_truth(desk: Desk) -> None:
    """A row is kept exactly where its caller was not told that the time is up."""
    deadlines = [Deadline(0.0) for _ in range(200)]
    timed_out: set[int] = set()

    def run(value: int) -> Any:
        return desk.run(adding(value), deadlines[value])

    def watch() -> None:
        for value in random.Random(7).sample(range(200), 200):
            if deadlines[value].expire():
                timed_out.add(value)
            time.sleep(0.0002)

    watching = threading.Thread(target=watch)
    with ThreadPoolExecutor(MANY) as pool:
        watching.start()
        answers = list(pool.map(run, range(200)))
    watching.join()

    assert {n for n, each in enumerate(answers) if each == n} == set(desk.values())
    assert set(desk.values()) | timed_out == set(range(200))
    assert not set(desk.values()) & timed_out


def test_the_holder_of_the_lock_and_the_waiters_are_reported(desk: Desk) -> None:
    free = threading.Event()
    began = time.monotonic()
    assert desk.store.write_lock == WriteLock()

    with ThreadPoolExecutor(2) as pool:
        holding = pool.submit(desk.run, keeping(1, free), label="a.hangs")
        until(lambda: desk.store.write_lock.holder == "a.hangs")
        held = desk.store.write_lock
        waiting = pool.submit(desk.run, adding(2), label="a.waits")
        until(lambda: desk.store.write_lock.waiting_since is not None)
        waited = desk.store.write_lock
        free.set()
        assert [holding.result(20), waiting.result(20)] == [1, 2]

    assert held.held_since is not None
    assert waited.waiting_since is not None
    assert began <= held.held_since <= waited.waiting_since <= time.monotonic()
    assert (waited.holder, waited.held_since) == ("a.hangs", held.held_since)
    assert desk.store.write_lock == WriteLock()


def test_a_writer_that_waits_for_another_process_holds_no_lock(desk: Desk, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(desk.run, adding(1), label="a.waits")
        until(lambda: desk.store.write_lock.waiting_since is not None)
        assert desk.store.write_lock.holder == ""
        other.close()
        assert waiting.result(20) == 1


@pytest.mark.parametrize("lock_of", ["handler", "others"])
def test_a_stopping_worker_ends_the_wait_of_its_writers(
    desk: Desk, tmp_path: Path, lock_of: str
) -> None:
    free = threading.Event()
    other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)

    with ThreadPoolExecutor(3) as pool:
        if lock_of == "handler":
            hanging = pool.submit(desk.run, keeping(9, free))
            until(lambda: desk.store.write_lock.held_since is not None)
        else:
            other.execute("BEGIN IMMEDIATE")
        waiting = [pool.submit(desk.run, adding(value)) for value in (1, 2)]
        until(lambda: desk.store.write_lock.waiting_since is not None)
        desk.store.group_commit.stop_waiting()
        assert kinds([each.result(2) for each in waiting]) == [Busy, Busy]
        assert isinstance(desk.run(adding(3)), Busy)  # nor does a later writer wait
        free.set()
        assert lock_of == "others" or hanging.result(20) in {9, Busy}
    other.close()


def test_a_stopping_worker_ends_the_wait_for_a_commit(desk: Desk) -> None:
    free = threading.Event()
    release = threading.Event()
    done = threading.Event()

    def first(unit: UnitOfWork) -> int:
        adding(1)(unit)
        release.wait(20)
        return 1

    def run_first() -> Any:
        answer = desk.run(first)
        done.set()
        return answer

    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(run_first)
        until(lambda: desk.store.write_lock.held_since is not None)
        hanging = pool.submit(desk.run, keeping(2, free), label="a.hangs")
        until(lambda: desk.store.write_lock.waiting_since is not None)
        release.set()
        until(lambda: desk.store.write_lock.holder == "a.hangs")
        assert not done.wait(0.2)
        desk.store.group_commit.stop_waiting()
        assert isinstance(waiting.result(2), Busy)
        free.set()
        assert hanging.result(20) == 2  # it ran again, alone, and waited for no other

    assert desk.values() == [2]
