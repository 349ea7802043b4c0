"""Faults and quarantines: who is blamed, who rests, and how it comes back."""

import errno
import re
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from conftest import MakeService
from sqlalchemy import exc

from landyard.errors import CallError, OverloadLimit
from landyard.faults import KILLED, TOO_LONG, FaultRules, Faults, Quarantine
from landyard.hosts import is_host_fault
from landyard.writers import Again, Busy

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
ZERO = "ZeroDivisionError in greeting.hello"


class Worker:
    """Faults with a clock that is set by hand, and what they told."""

    def __init__(self, **rules: Any) -> None:
        self.now = BEGAN
        self.told: list[tuple[str, Quarantine | None]] = []
        self.faults = Faults(FaultRules(**rules), lambda: self.now, self._changed)

    def _changed(self, plugin: str, quarantine: Quarantine | None) -> None:
        self.told.append((plugin, quarantine))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def fail(self, times: int = 5, reason: str = ZERO, plugin: str = "greeting") -> None:
        for _ in range(times):
            self.faults.blame(plugin, reason)

    def answer(self, plugin: str = "greeting") -> str:
        try:
            self.faults.admit(plugin, 30.0)
        except OverloadLimit as error:
            return f"come back in {error.retry_after}"
        return "admitted"

    @property
    def quarantine(self) -> Quarantine:
        found = self.faults.quarantined("greeting")
        assert found is not None
        return found


@pytest.fixture
def worker() -> Worker:
    return Worker()


def elsewhere(do: Callable[[], Any]) -> Any:
    """Do something as another call does: in another thread."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(do()))
    thread.start()
    thread.join(60)
    return results[0]


def test_a_plugin_rests_after_five_faults_and_no_other_does(worker: Worker) -> None:
    worker.fail(4)
    assert worker.answer() == "admitted"
    assert worker.told == []

    worker.fail(1)

    assert worker.answer() == "come back in 10"
    assert worker.answer("other") == "admitted"
    assert worker.told == [("greeting", worker.quarantine)]
    assert worker.quarantine.since == BEGAN
    assert worker.quarantine.until == BEGAN + timedelta(seconds=10)


@pytest.mark.parametrize(("points", "times"), [(TOO_LONG, 2), (KILLED, 2), (5, 1)])
def test_graver_faults_count_for_more(worker: Worker, points: int, times: int) -> None:
    for _ in range(times):
        assert worker.answer() == "admitted"
        worker.faults.blame("greeting", "greeting.hello ran for longer than 30 s", points)

    assert worker.answer() == "come back in 10"


def test_faults_that_are_long_past_do_not_count(worker: Worker) -> None:
    worker.fail(4)
    worker.wait(61)
    worker.fail(1)

    assert worker.answer() == "admitted"


@pytest.mark.parametrize("plugin", ["kernel", ""])
def test_the_kernel_is_never_blamed(worker: Worker, plugin: str) -> None:
    worker.fail(50, plugin=plugin)

    assert worker.answer(plugin) == "admitted"
    assert worker.told == []


def test_the_reason_says_what_how_often_and_in_what_time(worker: Worker) -> None:
    for _ in range(5):
        worker.fail(1)
        worker.wait(3)

    assert worker.quarantine.reason == f"{ZERO}, 5 times in 12 s"


def test_of_several_reasons_the_most_frequent_is_told(worker: Worker) -> None:
    worker.fail(1, "KeyError in greeting.bye")
    worker.fail(3)
    worker.fail(1, "OSError in greeting.bye")

    assert worker.quarantine.reason == f"{ZERO}, 3 times in 1 s, and 2 other faults"


def test_one_grave_fault_is_told_as_it_is(worker: Worker) -> None:
    worker.faults.blame("greeting", "it has left 40 threads behind", 5)

    assert worker.quarantine.reason == "it has left 40 threads behind"


def test_one_call_probes_and_the_others_wait_for_it(worker: Worker) -> None:
    worker.fail()
    worker.wait(9.5)
    assert worker.answer() == "come back in 1"
    worker.wait(0.5)

    answers = [worker.answer(), worker.answer(), elsewhere(worker.answer)]

    assert answers == ["admitted", "come back in 1", "come back in 1"]


def test_a_probe_that_works_lifts_the_quarantine(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    assert worker.answer() == "admitted"
    worker.faults.worked("greeting")

    assert worker.answer() == "admitted"
    assert worker.faults.quarantined("greeting") is None
    assert worker.told[-1] == ("greeting", None)
    worker.fail(4)  # what was counted before is forgotten
    assert worker.answer() == "admitted"


def test_a_call_that_is_not_the_probe_lifts_nothing(worker: Worker) -> None:
    worker.fail()
    worker.faults.worked("greeting")
    worker.wait(10)
    assert worker.answer() == "admitted"

    elsewhere(lambda: worker.faults.worked("greeting"))  # let in before the quarantine began

    assert worker.answer() == "come back in 1"
    assert len(worker.told) == 1


def test_a_fault_during_the_probe_doubles_the_pause_up_to_the_longest() -> None:
    worker = Worker(pause=10.0, longest=60.0)
    worker.fail()
    pauses = []
    for level in range(1, 6):
        assert worker.quarantine.level == level
        assert worker.told[-1] == ("greeting", worker.quarantine)
        pause = worker.quarantine.until - worker.quarantine.since
        pauses.append(pause.total_seconds())
        worker.wait(pauses[-1])
        assert worker.answer() == "admitted"
        worker.fail(1)

    assert pauses == [10, 20, 40, 60, 60]


def test_faults_of_calls_under_way_do_not_lengthen_a_quarantine(worker: Worker) -> None:
    worker.fail(5)
    worker.fail(50)

    assert worker.quarantine.level == 1
    assert len(worker.told) == 1


def test_who_fails_again_right_behind_a_probe_rests_for_twice_as_long(worker: Worker) -> None:
    for pause in (10, 20, 40):
        worker.fail()
        assert worker.answer() == f"come back in {pause}"
        worker.wait(pause)
        assert worker.answer() == "admitted"
        worker.faults.worked("greeting")

    worker.wait(61)
    worker.fail()

    assert worker.answer() == "come back in 10"


def test_a_probe_that_shows_nothing_makes_room_for_the_next(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    assert worker.answer() == "admitted"
    worker.faults.undecided("greeting")

    assert elsewhere(worker.answer) == "admitted"
    assert worker.faults.quarantined("greeting") is not None


def test_a_probe_that_never_ends_makes_room_after_its_time_limit(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    assert elsewhere(worker.answer) == "admitted"
    worker.wait(29)
    assert worker.answer() == "come back in 1"
    worker.wait(1)

    assert worker.answer() == "admitted"


def test_what_other_workers_did_is_learnt_and_not_told_again(worker: Worker) -> None:
    until = BEGAN + timedelta(seconds=20)
    theirs = Quarantine("greeting", "a reason", BEGAN, until, 2)
    worker.faults.learn({"greeting": theirs})
    assert worker.answer() == "come back in 20"
    assert worker.quarantine == theirs

    worker.faults.learn({})

    assert worker.answer() == "admitted"
    assert worker.told == []


def test_a_quarantine_that_is_lifted_elsewhere_begins_the_count_anew(worker: Worker) -> None:
    worker.fail(4)
    until = BEGAN + timedelta(seconds=20)
    worker.faults.learn({"greeting": Quarantine("greeting", ZERO, BEGAN, until, 1)})
    worker.faults.learn({})
    worker.fail(4)

    assert worker.answer() == "admitted"


def test_what_is_learnt_again_leaves_the_probe_alone(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    assert worker.answer() == "admitted"
    worker.faults.learn({"greeting": worker.quarantine})
    assert elsewhere(worker.answer) == "come back in 1"
    worker.faults.worked("greeting")

    assert worker.told[-1] == ("greeting", None)


def test_a_probe_of_a_quarantine_that_was_renewed_elsewhere_lifts_nothing(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    assert worker.answer() == "admitted"
    until = worker.now + timedelta(seconds=20)
    worker.faults.learn({"greeting": Quarantine("greeting", ZERO, worker.now, until, 2)})
    worker.faults.worked("greeting")

    assert worker.answer() == "come back in 20"


def test_a_clock_that_was_far_ahead_locks_no_plugin_away(worker: Worker) -> None:
    until = BEGAN + timedelta(days=30)
    worker.faults.learn({"greeting": Quarantine("greeting", ZERO, BEGAN, until, 1)})

    assert worker.answer() == "admitted"


def test_a_quarantine_holds_where_it_cannot_be_shared() -> None:
    def fails(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    faults = Faults(FaultRules(), lambda: BEGAN, fails)
    faults.blame("greeting", ZERO, 5)

    with pytest.raises(OverloadLimit):
        faults.admit("greeting")


def test_of_many_threads_that_ask_at_once_one_is_the_probe(worker: Worker) -> None:
    worker.fail()
    worker.wait(10)
    answers: list[str] = []
    gate = threading.Barrier(8)

    def ask() -> None:
        gate.wait(60)
        answers.append(worker.answer())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(answers) == ["admitted"] + ["come back in 1"] * 7


# ------------------------------------------------------------------------------------- the host


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as the driver words it")
    error.sqlite_errorcode = code
    return error


def wrapped(error: Exception, kind: type[exc.DBAPIError] = exc.OperationalError) -> Exception:
    return kind("SELECT 1", {}, error)


def postgres_error(state: str) -> Exception:
    return psycopg.errors.lookup(state)("as the server words it")


@pytest.mark.parametrize(
    "code",
    [
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_BUSY_SNAPSHOT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_NOMEM,
    ],
)
def test_trouble_of_the_sqlite_file_is_the_hosts(code: int) -> None:
    assert is_host_fault(sqlite_error(code))
    assert is_host_fault(wrapped(sqlite_error(code)))
    assert is_host_fault(wrapped(sqlite_error(code), exc.DatabaseError))


@pytest.mark.parametrize(
    "state",
    ["08006", "25006", "25P03", "40001", "40P01", "53100", "53300", "55P03", "57P01", "57014",
     "58030", "XX001"],
)  # fmt: skip
def test_trouble_of_the_postgres_server_is_the_hosts(state: str) -> None:
    assert is_host_fault(postgres_error(state))
    assert is_host_fault(wrapped(postgres_error(state)))


@pytest.mark.parametrize(
    "error",
    [
        Busy(),
        Again(sqlite_error(sqlite3.SQLITE_FULL)),
        MemoryError(),
        exc.TimeoutError("QueuePool limit of size 5 overflow 5 reached"),
        psycopg.OperationalError("server closed the connection unexpectedly"),
        psycopg.InterfaceError("the connection is closed"),
        *(OSError(getattr(errno, name), name) for name in
          ("ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM")),
    ],
    ids=repr,
)  # fmt: skip
def test_trouble_of_the_machine_is_the_hosts(error: Exception) -> None:
    assert is_host_fault(error)


def test_a_connection_that_was_lost_is_the_hosts() -> None:
    lost = exc.DBAPIError("SELECT 1", {}, Exception("gone"), connection_invalidated=True)

    assert is_host_fault(lost)


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError(),
        FileNotFoundError(errno.ENOENT, "no such file"),
        ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
        TimeoutError("timed out"),
        sqlite3.ProgrammingError("Incorrect number of bindings supplied"),
        psycopg.ProgrammingError("the query has 2 placeholders but 1 parameters were passed"),
        exc.InvalidRequestError("a session in a wrong state"),
        exc.NoResultFound(),
        *(sqlite_error(code) for code in
          (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_MISMATCH,
           sqlite3.SQLITE_MISUSE, sqlite3.SQLITE_RANGE, sqlite3.SQLITE_TOOBIG)),
        *(postgres_error(state) for state in
          ("42P01", "42601", "23505", "23503", "22P02", "25P02", "42501")),
    ],
    ids=repr,
)  # fmt: skip
def test_what_a_plugin_does_wrong_is_its_own(error: Exception) -> None:
    assert not is_host_fault(error)
    assert not is_host_fault(wrapped(error, exc.DBAPIError))


class Refused(CallError):
    code = "REFUSED"


def raised(cause: Exception, error: Exception, *, with_from: bool) -> Exception:
    """Raise `error` while `cause` is handled, as a plugin does."""
    try:
        try:
            raise cause
        except Exception as handled:
            if with_from:
                raise error from handled
            raise error  # noqa: B904 - what is tested
    except Exception as last:
        return last


FULL = OSError(errno.ENOSPC, "no space left")


def test_a_host_fault_told_in_other_words_is_still_the_hosts() -> None:
    error = raised(FULL, raised(FULL, ValueError(), with_from=True), with_from=True)

    assert is_host_fault(error)


def test_a_defect_in_handling_a_host_fault_is_the_plugins() -> None:
    assert not is_host_fault(raised(FULL, AttributeError(), with_from=False))


def test_a_code_that_was_not_declared_is_the_plugins_whatever_is_behind_it() -> None:
    code = raised(FULL, Refused(), with_from=True)

    assert not is_host_fault(raised(code, RuntimeError(), with_from=True))


def test_errors_that_are_each_others_cause_have_an_end() -> None:
    one, other = ValueError(), ValueError()
    one.__cause__, other.__cause__ = other, one

    assert not is_host_fault(one)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM no_such_table",
        "SELEKT 1",
        "INSERT INTO landyard_user (id) SELECT id FROM landyard_user",
    ],
)
def test_bad_sql_is_the_plugins_on_every_database(
    make_service: MakeService, statement: str
) -> None:
    service = make_service([])

    with pytest.raises(exc.DBAPIError) as raised, service.kernel.store.session(writes=True) as own:
        own.execute(sa.text(statement))

    assert not is_host_fault(raised.value)


def test_a_locked_and_a_damaged_file_are_the_hosts(tmp_path: Any) -> None:
    file = tmp_path / "locked.db"
    engine = sa.create_engine(f"sqlite:///{file}", connect_args={"timeout": 0})
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("CREATE TABLE t (n)")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(exc.OperationalError) as locked, engine.connect() as connection:
        connection.execute(sa.text("SELECT * FROM t"))
    holder.close()
    file.write_bytes(b"this is no database" * 100)
    with pytest.raises(exc.DatabaseError) as damaged, engine.connect() as connection:
        connection.execute(sa.text("SELECT * FROM t"))
    engine.dispose()

    assert is_host_fault(locked.value)
    assert is_host_fault(damaged.value)


@pytest.mark.postgres
def test_a_server_that_ends_the_connection_or_is_not_there_is_the_host(postgres_url: str) -> None:
    engine = sa.create_engine(postgres_url)
    with pytest.raises(exc.OperationalError) as ended, engine.connect() as connection:
        connection.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
    engine.dispose()
    nowhere = sa.create_engine(re.sub(r":\d+/", ":1/", postgres_url))
    with pytest.raises(exc.OperationalError) as absent:
        nowhere.connect()

    assert is_host_fault(ended.value)
    assert is_host_fault(absent.value)
