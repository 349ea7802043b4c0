"""Connections lent to handlers: a handler cannot end their transaction."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Store, Unavailable
from landyard.storage import engines
from landyard.storage.engines import kept_by
from landyard.storage.store import UnitOfWork


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'lent.db'}", connections=1)
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE one (value INTEGER)"))
        session.execute(sa.text("INSERT INTO one VALUES (1)"))
    yield store
    store.close()


def test_no_other_user_of_the_machine_can_read_a_new_database(tmp_path: Path) -> None:
    usual = os.umask(0)
    try:
        store = Store(f"sqlite:///{tmp_path / 'data' / 'own.db'}")
        with store.session(writes=True) as session:
            session.execute(sa.text("CREATE TABLE one (value INTEGER)"))
            rights = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.rglob("*")}
        store.close()
    finally:
        os.umask(usual)

    files = dict.fromkeys(("own.db", "own.db-wal", "own.db-shm"), 0o600)
    assert rights == {"data": 0o700, **files}


@pytest.mark.parametrize("ending", ["commit", "rollback", "close"])
def test_a_handler_that_ends_its_transaction_gets_an_error_and_ends_nothing(
    store: Store, ending: str
) -> None:
    def end(unit: UnitOfWork) -> None:
        unit.connection.execute(sa.text("INSERT INTO one VALUES (2)"))
        with pytest.raises(RuntimeError, match="a handler must not end its transaction"):
            getattr(unit.connection, ending)()
        raise KeyError

    with pytest.raises(KeyError):
        store.run(end, writes=True)

    with store.session() as session:
        assert list(session.scalars(sa.text("SELECT value FROM one"))) == [1]
    assert store.engine.pool.checkedout() == len(kept_by(store.engine) or ())  # type: ignore[attr-defined]


def test_a_connection_dropped_by_the_server_is_not_lent_again(postgres_url: str) -> None:
    store = Store(postgres_url, connections=1)
    drop = sa.text("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(Unavailable):
        store.run(lambda unit: unit.connection.execute(drop), writes=True)

    assert store.run(lambda unit: unit.connection.scalar(sa.text("SELECT 1")), writes=True) == 1
    assert store.engine.pool.checkedout() == len(kept_by(store.engine) or ())  # type: ignore[attr-defined]
    store.close()


@pytest.mark.parametrize("writes", [True, False])
def test_a_removed_database_is_missing_until_it_is_back(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, writes: bool
) -> None:
    """SQLite itself would go on with the deleted file, or create an empty one."""
    monkeypatch.setattr(engines, "_SQLITE_LOOK", 0.0)
    store = Store(store.engine.url.render_as_string(), connections=1)
    one = sa.text("SELECT value FROM one")

    def read() -> Any:
        return store.run(lambda unit: unit.connection.scalar(one), writes=writes)

    assert read() == 1
    away = {each: each.rename(f"{each}.away") for each in tmp_path.glob("lent.db*")}
    for _ in range(2):
        with pytest.raises(Unavailable):
            read()
    assert not (tmp_path / "lent.db").exists()
    for place, moved in away.items():
        moved.rename(place)

    assert read() == 1
    store.close()
