"""Effects of a call outside the database: those after its commit, and those after its rollback."""

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
import structlog
from conftest import MakeService
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, CallError, MethodGroup, Plugin
from landyard.auth.credentials import USER, User
from landyard.core.errors import DeadlineExceeded
from landyard.core.timing import Deadline
from landyard.storage.store import Store, UnitOfWork
from landyard.testing import Service


class Refused(CallError):
    code = "REFUSED"
    text = "No."


class Nothing(Struct, frozen=True):
    refuse: bool = False


class Filing(Brings):
    """A plugin that records when its file effects happen."""

    def __init__(self) -> None:
        self.group = MethodGroup()
        self.done: list[str] = []
        done = self.done

        @self.group.method("filing.write", writes=True, errors=[Refused])
        def write(call: Call, params: Nothing) -> bool:
            """Write a file and a row."""
            _ = call.connection
            call.on_commit(lambda: done.append("kept"))
            call.on_rollback(lambda: done.append("first undone"))
            call.on_rollback(lambda: done.append("second undone"))
            if params.refuse:
                raise Refused
            return True

        super().__init__(self.group)


@pytest.fixture
def filing() -> Filing:
    return Filing()


@pytest.fixture
def service(make_service: MakeService, filing: Filing) -> Service:
    return make_service([Plugin("filing", filing)])


def test_commit_actions_run_after_the_commit(service: Service, filing: Filing) -> None:
    assert service.result("filing.write") is True

    assert filing.done == ["kept"]


def test_rollback_actions_run_in_reverse_order(service: Service, filing: Filing) -> None:
    assert service.call("filing.write", refuse=True).error == "REFUSED"

    assert filing.done == ["second undone", "first undone"]


def add(unit: UnitOfWork, name: str) -> None:
    unit.session.add(User(name=name))


def leave() -> None:
    raise SystemExit


@pytest.mark.parametrize("failing", [lambda: 1 / 0, leave])
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("begun", [True, False])
def test_a_failing_action_is_logged_and_stops_no_other(
    tmp_path: Path, failing: Callable[[], object], kept: bool, begun: bool
) -> None:
    done: list[str] = []

    def handler(unit: UnitOfWork) -> None:
        _ = begun and unit.connection
        for act in (lambda: done.append("one"), failing, lambda: done.append("two")):
            (unit.on_commit if kept else unit.on_rollback)(act)
        if not kept:
            raise KeyError

    store = Store(f"sqlite:///{tmp_path / 'x.db'}")
    with suppress(KeyError), structlog.testing.capture_logs() as logged:
        store.run(handler, writes=True, label="filing.write")

    assert done == (["one", "two"] if kept else ["two", "one"])
    assert [(each["event"], each["call"]) for each in logged] == [
        ("unit_action_failed", "filing.write")
    ]
    store.close()


@pytest.mark.parametrize("begun", [True, False])
def test_no_commit_action_runs_for_a_caller_who_was_answered_late(
    make_service: MakeService, begun: bool
) -> None:
    store = make_service([]).kernel.store
    done: list[str] = []
    deadline = Deadline(0.0)

    def handler(unit: UnitOfWork) -> None:
        if begun:
            unit.session.add(User(name="late"))
        unit.on_commit(lambda: done.append("kept"))
        unit.on_rollback(lambda: done.append("undone"))
        deadline.expire()

    with pytest.raises(DeadlineExceeded):
        store.run(handler, writes=True, deadline=deadline)

    assert done == ["undone"]
    with store.session() as session:
        assert session.scalar(sa.text("SELECT count(*) FROM landyard_user WHERE name='late'")) == 0


def test_the_deadline_is_settled_once_per_transaction(make_service: MakeService) -> None:
    store = make_service([]).kernel.store
    deadline = Deadline(0.0)

    for name in "ab":
        store.run(functools.partial(add, name=name), writes=True, deadline=deadline)
    store.run(lambda unit: unit.connection, writes=False, deadline=deadline)

    assert deadline.settled == 2
    assert not deadline.expire()


def test_a_failed_commit_runs_rollback_actions_and_leaves_the_deadline_open(
    make_service: MakeService,
) -> None:
    store = make_service([]).kernel.store
    deadline = Deadline(0.0)
    done: list[str] = []

    def fail(_: object) -> None:
        raise ConnectionError

    def work(unit: UnitOfWork) -> None:
        unit.on_commit(lambda: done.append("kept"))
        unit.on_rollback(lambda: done.append("undone"))
        add(unit, "a")

    sa.event.listen(store.engine, "commit", fail)
    with pytest.raises(ConnectionError):
        store.run(work, writes=True, deadline=deadline)
    assert deadline.expire()
    assert set(done) == {"undone"}  # once for each attempt: SQLite makes a second one, alone
    sa.event.remove(store.engine, "commit", fail)

    store.run(lambda unit: add(unit, "b"), writes=True)
    with store.session() as session:
        names = set(session.scalars(sa.text("SELECT name FROM landyard_user")))
    assert names & {"a", "b"} == {"b"}


def test_a_savepoint_contains_the_writes_of_a_connection(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/a.db")
    with store.unit(writes=True) as unit:
        unit.connection.exec_driver_sql("CREATE TABLE a (b)")
        with suppress(KeyError), unit.savepoint():
            unit.connection.exec_driver_sql("INSERT INTO a VALUES (1)")
            raise KeyError
    with store.unit(writes=False) as unit:
        assert unit.connection.exec_driver_sql("SELECT count(*) FROM a").scalar_one() == 0
    store.close()


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("kept", [True, False])
def test_a_savepoint_contains_the_writes_of_a_session(
    make_service: MakeService, before: bool, kept: bool
) -> None:
    store = make_service([]).kernel.store

    def work(unit: UnitOfWork) -> None:
        if before:
            add(unit, "before")
        with suppress(KeyError), unit.savepoint():
            add(unit, "outer")
            with suppress(ZeroDivisionError), unit.savepoint():
                add(unit, "inner")
                unit.connection.execute(USER.insert().values(name="inner, by a statement"))
                _ = kept or 1 / 0
            unit.connection.execute(USER.insert().values(name="by a statement"))
        with suppress(KeyError), unit.savepoint():
            add(unit, "never")
            raise KeyError
        add(unit, "after")

    store.run(work, writes=True)

    with store.unit(writes=False) as unit:
        names = set(unit.connection.scalars(sa.select(USER.c.name)))
    inner = {"inner", "inner, by a statement"}
    wanted = {"outer", "by a statement", "after"}
    wanted |= ({"before"} if before else set()) | (inner if kept else set())
    assert names & {*wanted, *inner, "before", "never"} == wanted


def test_no_session_is_made_for_a_savepoint(make_service: MakeService) -> None:
    with make_service([]).kernel.store.unit(writes=True) as unit, unit.savepoint():
        unit.connection.execute(USER.insert().values(name="a"))
        assert unit.opened_session is None


def test_after_a_savepoint_that_cannot_be_written_a_session_works(
    make_service: MakeService,
) -> None:
    store = make_service([]).kernel.store

    def work(unit: UnitOfWork) -> None:
        with suppress(sa.exc.IntegrityError), unit.savepoint():
            unit.connection.execute(USER.insert().values(id=77, name="gone"))
            unit.session.add(User(id=77, name="twice"))
        add(unit, "later")

    store.run(work, writes=True)

    with store.unit(writes=False) as unit:
        names = set(unit.connection.scalars(sa.select(USER.c.name)))
    assert names & {"gone", "twice", "later"} == {"later"}
