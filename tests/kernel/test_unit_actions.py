"""What a call does outside of the database: once it is kept, or once it is undone."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from conftest import MakeService
from kernel.sample import Brings
from msgspec import Struct

from landyard import Call, CallError, MethodGroup, Plugin
from landyard.seats import here
from landyard.store import Store, UnitOfWork
from landyard.testing import Service
from landyard.writers import Again


class Refused(CallError):
    code = "REFUSED"
    text = "No."


class Nothing(Struct, frozen=True):
    refuse: bool = False


class Filing(Brings):
    """A plugin that notes when its file effects happen."""

    def __init__(self) -> None:
        self.group = MethodGroup()
        self.done: list[str] = []
        done = self.done

        @self.group.method("filing.write", writes=True, errors=[Refused])
        def write(call: Call, params: Nothing) -> bool:
            """Write a file and a row."""
            _ = call.connection
            call.when_kept(lambda: done.append("kept"))
            call.when_undone(lambda: done.append("first undone"))
            call.when_undone(lambda: done.append("second undone"))
            if params.refuse:
                raise Refused
            return True

        @self.group.method("filing.broken", writes=True)
        def broken(call: Call, params: Nothing) -> bool:
            """Fail behind the commit."""
            _ = call.connection
            call.when_kept(lambda: 1 / 0)
            call.when_kept(lambda: done.append("kept"))
            return True

        super().__init__(self.group)


@pytest.fixture
def filing() -> Filing:
    return Filing()


@pytest.fixture
def service(make_service: MakeService, filing: Filing) -> Service:
    return make_service([Plugin("filing", filing)])


def test_what_is_done_when_kept_is_done_once_the_call_is_committed(
    service: Service, filing: Filing
) -> None:
    assert service.result("filing.write") is True

    assert filing.done == ["kept"]


def test_what_is_done_when_undone_is_done_last_first_when_the_call_fails(
    service: Service, filing: Filing
) -> None:
    assert service.call("filing.write", refuse=True).error == "REFUSED"

    assert filing.done == ["second undone", "first undone"]


def test_an_action_that_fails_changes_no_answer_and_stops_no_other(
    service: Service, filing: Filing
) -> None:
    assert service.result("filing.broken") is True

    assert filing.done == ["kept"]


def leave() -> None:
    raise SystemExit


@pytest.mark.parametrize("failing", [lambda: 1 / 0, leave])
@pytest.mark.parametrize("kept", [True, False])
def test_whose_action_failed_is_told(
    tmp_path: Path, failing: Callable[[], object], kept: bool
) -> None:
    told: list[tuple[str, str]] = []
    done: list[str] = []

    def tell(owner: str, error: BaseException) -> None:
        told.append((owner, type(error).__name__))
        raise OSError  # what is told may fail, too

    def handler(unit: UnitOfWork) -> None:
        for act in (lambda: done.append("one"), failing, lambda: done.append("two")):
            (unit.when_kept if kept else unit.when_undone)(act)
        if not kept:
            raise KeyError

    store = Store(f"sqlite:///{tmp_path / 'x.db'}", on_action_failed=tell)
    with suppress(KeyError):
        store.run(lambda unit: here().run("filing", handler, unit), writes=True)

    assert told == [("filing", "SystemExit" if failing is leave else "ZeroDivisionError")]
    assert done == (["one", "two"] if kept else ["two", "one"])
    store.close()


def test_a_commit_that_fails_undoes(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'x.db'}")
    done: list[Any] = []

    def fail(_: object) -> None:
        raise sa.exc.OperationalError("COMMIT", {}, Exception("disk full"))

    with pytest.raises(Again), store.unit(writes=True) as unit:  # noqa: PT012 - the end raises
        unit.when_kept(lambda: done.append("kept"))
        unit.when_undone(lambda: done.append("undone"))
        unit.connection.execute(sa.text("CREATE TABLE t (id INTEGER)"))
        sa.event.listen(unit.connection, "commit", fail)

    assert done == ["undone"]
    store.close()
