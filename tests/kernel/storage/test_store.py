"""One transaction per call: no edit is lost, and a call that the database aborts runs again."""

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings, Nothing
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import col, select

from landyard import Call, MethodGroup, Plugin, Store, credentials
from landyard.auth.credentials import User
from landyard.storage.store import Busy, UnitOfWork, WriteLock
from landyard.testing import WEBHOOK, Service

Work = Callable[[Call], Any]
TWO_USERS = {
    "users": [{"id": 1, "name": "0"}, {"id": 2, "name": "0"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": []}],
}


def doing(work: Work) -> list[Plugin]:
    group = MethodGroup()

    @group.method("sample.work", writes=True)
    def run(call: Call, params: Nothing) -> Any:
        """Run the test's function."""
        return work(call)

    return [Plugin("sample", Brings(group))]


def add_one(call: Call, user_id: int = 1) -> None:
    """Read, compute, write, as edits of a block do."""
    user = call.session.get(User, user_id, with_for_update=True)
    assert user is not None
    user.name = str(int(user.name) + 1)
    call.session.flush()


def counted(service: Service) -> list[int]:
    with service.kernel.store.session() as session:
        return [int(each) for each in session.exec(select(User.name).order_by(col(User.id)))]


def test_concurrent_edits_all_succeed_and_none_is_lost(make_service: MakeService) -> None:
    # Two services on one database stand for two worker processes.
    services = [make_service(doing(add_one), world=TWO_USERS) for _ in range(2)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: services[n % 2].call("sample.work"), range(80)))

    assert {answer.status for answer in answers} == {200}
    assert counted(services[0]) == [80, 0]


class InTurns:
    """Holds two calls at their first attempt until both have begun, so that they conflict."""

    def __init__(self) -> None:
        self.meeting = threading.Barrier(2, timeout=10)
        self.attempts: list[str] = []

    def meet_once(self, who: str) -> None:
        self.attempts.append(who)
        if self.attempts.count(who) == 1:
            self.meeting.wait()


def both(one: Service, other: Service) -> list[int]:
    with ThreadPoolExecutor(2) as pool:
        return [each.status for each in pool.map(lambda s: s.call("sample.work"), (one, other))]


ON_POSTGRES = pytest.mark.parametrize(
    "database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@ON_POSTGRES
def test_a_deadlock_reruns_the_whole_call(make_service: MakeService) -> None:
    turns = InTurns()

    def cross(first: int, second: int) -> Work:
        def work(call: Call) -> None:
            call.session.execute(sa.text("SET LOCAL deadlock_timeout = '20ms'"))
            add_one(call, first)
            turns.meet_once(str(first))
            add_one(call, second)

        return work

    one, other = (make_service(doing(cross(*ids)), world=TWO_USERS) for ids in ((1, 2), (2, 1)))

    assert both(one, other) == [200, 200]
    assert len(turns.attempts) > 2
    assert counted(one) == [2, 2]


@ON_POSTGRES
def test_a_serialization_failure_reruns_the_whole_call(make_service: MakeService) -> None:
    turns = InTurns()

    def strictly(who: str) -> Work:
        def work(call: Call) -> None:
            call.connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            user = call.session.get(User, 1)
            assert user is not None
            turns.meet_once(who)
            user.name = str(int(user.name) + 1)
            call.session.flush()

        return work

    one, other = (make_service(doing(strictly(who)), world=TWO_USERS) for who in "ab")

    assert both(one, other) == [200, 200]
    assert len(turns.attempts) > 2
    assert counted(one) == [2, 0]


class Refusing(Exception):
    """A driver's exception with its codes."""

    def __init__(self, *, sqlstate: str = "", sqlite_errorcode: int = 0) -> None:
        super().__init__("bound values and statements")
        self.sqlstate = sqlstate
        self.sqlite_errorcode = sqlite_errorcode


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    "orig",
    [
        Refusing(sqlstate="40001"),
        Refusing(sqlstate="40P01"),
        Refusing(sqlstate="55P03"),
        Refusing(sqlite_errorcode=sqlite3.SQLITE_BUSY),
        Refusing(sqlite_errorcode=sqlite3.SQLITE_BUSY_SNAPSHOT),
    ],
    ids=lambda orig: f"{orig.sqlstate}{orig.sqlite_errorcode}",
)
def test_C13_a_database_that_stays_busy_is_an_overload(
    orig: Refusing,
) -> None:
    attempts: list[Call] = []

    def work(call: Call) -> None:
        attempts.append(call)
        raise OperationalError("UPDATE", {}, orig)

    with Service(doing(work)) as service:
        service.kernel.store.patience = 0.05
        answer = service.request("POST", f"/rest/1/{WEBHOOK}/sample.work")

    assert (answer.status_code, answer.json()["error"]) == (503, "OVERLOAD_LIMIT")
    assert answer.headers["retry-after"] == "1"
    assert len(attempts) > 1


@pytest.mark.rule("C11")
def test_C11_any_other_error_of_the_database_is_a_crash() -> None:
    attempts: list[Call] = []

    def work(call: Call) -> None:
        attempts.append(call)
        raise OperationalError("UPDATE", {}, Refusing(sqlstate="53100"))

    with Service(doing(work), raise_crashes=False) as service:
        assert service.call("sample.work").error == "INTERNAL_SERVER_ERROR"
    assert len(attempts) == 1


def sqlite_store(folder: Path, patience: float) -> tuple[Store, sqlite3.Connection]:
    """A store on a file, and a connection of another process that is writing to it."""
    store = Store(f"sqlite:///{folder / 'one.db'}", patience=patience)
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE one (n INTEGER)"))
    other = sqlite3.connect(folder / "one.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return store, other


def insert_one(unit: UnitOfWork) -> None:
    unit.connection.execute(sa.text("INSERT INTO one VALUES (1)"))


def count_ones(store: Store) -> Any:
    counting = sa.text("SELECT count(*) FROM one")
    return store.run(lambda unit: unit.connection.scalar(counting), writes=False)


def test_a_writer_waits_for_another_process_and_then_writes(tmp_path: Path) -> None:
    store, other = sqlite_store(tmp_path, patience=20)
    threading.Timer(0.6, other.close).start()

    store.run(insert_one, writes=True)

    assert count_ones(store) == 1
    store.close()


def test_writers_stop_waiting_for_a_foreign_lock_after_their_limit(tmp_path: Path) -> None:
    """However many they are: the first waits for the lock, the others for the first."""
    store, other = sqlite_store(tmp_path, patience=0.8)
    started = time.monotonic()

    def give_up(_: int) -> float:
        with pytest.raises(Busy):
            store.run(insert_one, writes=True)
        return time.monotonic() - started

    with ThreadPoolExecutor(8) as pool:
        took = list(pool.map(give_up, range(8)))
    assert max(took) < 5

    lock = store.write_lock
    assert (lock.holder, lock.held_since, lock.waiting_since) == ("", None, None)
    assert lock.busy_since is not None
    assert 0.7 < lock.busy_since - started < 5
    other.close()
    store.run(insert_one, writes=True)
    assert store.write_lock == WriteLock()
    store.close()


@pytest.mark.postgres
def test_on_postgres_too_a_writer_waits_for_a_lock_for_a_limited_time(postgres_url: str) -> None:
    store = Store(postgres_url, patience=0.5)
    lock = sa.text("LOCK TABLE landyard_user IN EXCLUSIVE MODE")

    with store.engine.connect() as other:
        other.execute(lock)
        started = time.monotonic()
        with pytest.raises(Busy):
            store.run(lambda unit: unit.connection.execute(lock), writes=True)
        assert 0.4 < time.monotonic() - started < 10
    assert store.write_lock != WriteLock()

    store.run(lambda unit: unit.connection.execute(lock), writes=True)
    assert store.write_lock == WriteLock()
    store.close()


def test_a_pool_without_a_free_connection_is_busy(postgres_url: str) -> None:
    store = Store(postgres_url, connections=1, patience=0.2)

    with store.session(), store.session(), pytest.raises(Busy):
        store.run(lambda unit: unit.connection, writes=True)
    store.close()


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    store, other = sqlite_store(tmp_path, patience=20)

    assert count_ones(store) == 0
    other.close()
    store.close()


def test_a_reading_call_sees_one_state_of_the_database(make_service: MakeService) -> None:
    store = make_service([], world=TWO_USERS).kernel.store

    def look(unit: UnitOfWork) -> Any:
        before = unit.connection.scalar(sa.text("SELECT min(name) FROM landyard_user"))
        with store.session(writes=True) as session:
            session.execute(sa.text("UPDATE landyard_user SET name = '7'"))
        return before, unit.connection.scalar(sa.text("SELECT min(name) FROM landyard_user"))

    assert store.run(look, writes=False) == ("0", "0")
    assert store.run(look, writes=False) == ("7", "7")
    with store.unit(writes=False) as unit:
        assert look(unit) == ("7", "7")


@pytest.mark.postgres
def test_a_postgres_server_ends_an_idle_transaction(postgres_url: str) -> None:
    store = Store(postgres_url)
    with store.session() as session:
        told = session.execute(sa.text("SHOW idle_in_transaction_session_timeout")).scalar()
    store.close()

    assert told == "1min"


def test_sqlite_is_set_up_for_durability(tmp_path: Path) -> None:
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "query_only")
    store = Store(f"sqlite:///{tmp_path / 'one.db'}")
    for writes in (True, False):
        with store.session(writes=writes) as session:
            found = {name: session.scalar(sa.text(f"PRAGMA {name}")) for name in pragmas}

        assert found == {
            "journal_mode": "wal",
            "synchronous": 2,  # FULL
            "foreign_keys": 1,
            "query_only": int(not writes),
        }
    store.close()


CONTENT = "<p>what nobody is to read in a log</p>"


@pytest.mark.parametrize(
    "row",
    [
        {"user_id": 1, "digest": "taken", "title": CONTENT, "scopes": "", "active": True},
        {"user_id": 99, "digest": "new", "title": CONTENT, "scopes": "", "active": True},
        {"user_id": 1, "digest": "new", "title": CONTENT, "scopes": None, "active": True},
    ],
    ids=["unique", "foreign key", "not null"],
)
def test_a_database_error_carries_no_bound_values(
    make_service: MakeService, row: dict[str, Any]
) -> None:
    there = {"user_id": 1, "digest": "taken", "scopes": "", "title": "", "active": True}

    def insert(call: Call) -> None:
        call.session.execute(sa.insert(credentials.WEBHOOK).values(there))
        call.session.execute(sa.insert(credentials.WEBHOOK).values(row))

    service = make_service(doing(insert))
    with pytest.raises(IntegrityError) as caught:
        service.call("sample.work")

    assert CONTENT not in str(caught.value)
    assert CONTENT not in str(caught.value.orig)


@pytest.mark.rule("C1")
@pytest.mark.parametrize("ending", ["commit", "rollback"])
def test_C1_a_handler_that_ends_its_transaction_fails_and_leaves_nothing(
    make_service: MakeService, ending: str
) -> None:
    def work(call: Call) -> None:
        call.connection.execute(sa.text("UPDATE landyard_user SET name = 'changed'"))
        getattr(call.connection, ending)()

    service = make_service(doing(work), world=TWO_USERS, raise_crashes=False)
    before = counted(service)

    assert [service.call("sample.work").status for _ in range(3)] == [500] * 3
    assert counted(service) == before
