"""Connections that handlers have in hands: none comes back to others other than it was made."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Store
from landyard.seats import here
from landyard.store import UnitOfWork


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'lent.db'}", connections=1)
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE one (value INTEGER)"))
        session.execute(sa.text("INSERT INTO one VALUES (1)"))
    yield store
    store.close()


def driver(unit: UnitOfWork) -> Any:
    return unit.connection.connection.driver_connection


def values(store: Store, writes: bool) -> list[int]:
    """What a call finds; it adds another where it `writes`."""

    def look(unit: UnitOfWork) -> list[int]:
        found = list(unit.connection.execute(sa.text("SELECT value FROM one")).scalars())
        if writes:
            unit.connection.execute(sa.text("INSERT INTO one VALUES (2)"))
        return found

    return store.run(look, writes=writes)


@pytest.mark.parametrize("writes", [True, False])
def test_what_was_closed_in_the_pool_is_not_handed_out(store: Store, writes: bool) -> None:
    store.run(driver, writes=writes).close()

    assert values(store, writes) == [1]


def by_pragma(unit: UnitOfWork) -> None:
    unit.connection.execute(sa.text("PRAGMA query_only=ON"))


def by_a_table_in_front(unit: UnitOfWork) -> None:
    unit.connection.execute(sa.text("CREATE TEMP TABLE one (value INTEGER)"))


def by_rows(unit: UnitOfWork) -> None:
    driver(unit).row_factory = lambda *_: (7,)


def by_texts(unit: UnitOfWork) -> None:
    driver(unit).text_factory = bytes


def by_transactions(unit: UnitOfWork) -> None:
    driver(unit).isolation_level = "DEFERRED"


WAYS = [by_pragma, by_a_table_in_front, by_rows, by_texts, by_transactions]


@pytest.mark.parametrize("writes", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_what_was_altered_is_not_handed_out(
    store: Store, way: Callable[[UnitOfWork], None], writes: bool
) -> None:
    used: list[sqlite3.Connection] = []

    def alter(unit: UnitOfWork) -> None:
        used.append(driver(unit))
        way(unit)

    store.run(alter, writes=writes)

    assert store.run(driver, writes=False) is not used[0]
    assert values(store, writes) == [1]


def test_what_was_only_used_is_handed_out_again(store: Store) -> None:
    def use(unit: UnitOfWork) -> Any:
        sa.inspect(unit.connection).get_columns("one")
        unit.session.execute(sa.text("UPDATE one SET value = 3"))
        return driver(unit)

    assert store.run(use, writes=True) is store.run(driver, writes=False)


@pytest.mark.parametrize("ending", ["commit", "rollback", "close", "detach"])
@pytest.mark.parametrize("writes", [True, False])
def test_a_handler_that_ends_its_transaction_is_told(
    store: Store, ending: str, writes: bool
) -> None:
    def end(unit: UnitOfWork) -> None:
        unit.connection.execute(sa.text("SELECT value FROM one")).all()
        getattr(unit.connection, ending)()

    with pytest.raises(RuntimeError, match="a handler must not end its transaction"):
        store.run(lambda unit: here().run("faulty", end, unit), writes=writes)

    assert values(store, writes) == [1]
    assert store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]


def test_what_a_handler_gives_back_itself_is_nobodys_meanwhile(store: Store) -> None:
    def give_back(unit: UnitOfWork) -> bool:
        mine = driver(unit)
        unit.connection.connection.close()
        with ThreadPoolExecutor(1) as pool:
            theirs = pool.submit(store.run, driver, writes=False).result(20)
        return theirs is not mine

    shared: list[bool] = []
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.run(lambda unit: shared.append(give_back(unit)), writes=True)

    assert all(shared)
    assert values(store, writes=True) == [1]


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("writes", [True, False])
def test_one_that_swallows_being_told_harms_nobody(store: Store, writes: bool, fails: bool) -> None:
    def end(unit: UnitOfWork) -> None:
        transaction = unit.connection.get_transaction()
        assert transaction is not None
        with pytest.raises(RuntimeError):
            transaction.commit()
        if fails:
            raise KeyError("in its transaction")

    with pytest.raises(Exception, match="transaction"):
        store.run(end, writes=writes)

    assert values(store, writes) == [1]
    assert store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
