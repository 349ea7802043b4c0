"""A mark of the database that changes with every commit, of any process."""

import asyncio
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from landyard import Store
from landyard.storage.changes import Changes, Mark


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path / 'one.db'}")
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE one (n INTEGER NOT NULL)"))
    return store


def insert(store: Store) -> None:
    insertion = sa.text("INSERT INTO one VALUES (1)")
    store.run(lambda unit: unit.connection.execute(insertion), writes=True)


def test_the_mark_changes_after_a_commit_of_any_process(store: Store, tmp_path: Path) -> None:
    changes = Changes(store.engine)
    marks: list[Any] = [changes.mark()]
    insert(store)
    marks.append(changes.mark())
    with sqlite3.connect(tmp_path / "one.db") as other:
        other.execute("INSERT INTO one VALUES (2)")
    other.close()
    marks.append(changes.mark())

    assert None not in marks
    assert len(set(marks)) == 3
    assert changes.mark() == marks[-1]
    store.close()


def test_the_mark_stays_after_reads_and_rollbacks(store: Store) -> None:
    changes = Changes(store.engine)
    before = changes.mark()

    with store.session() as session:
        session.execute(sa.text("SELECT * FROM one")).all()
    with pytest.raises(IntegrityError), store.session(writes=True) as session:  # noqa: PT012 - its end
        session.execute(sa.text("INSERT INTO one VALUES (1)"))
        session.execute(sa.text("INSERT INTO one VALUES (NULL)"))

    assert changes.mark() == before
    store.close()


def test_two_connections_never_give_the_same_mark(store: Store) -> None:
    changes = Changes(store.engine)
    before = changes.mark()
    changes.close()
    insert(store)

    assert changes.mark() not in {None, before}
    store.close()


def test_reading_the_mark_waits_for_no_writer(store: Store, tmp_path: Path) -> None:
    changes = Changes(store.engine)
    before = changes.mark()
    other = sqlite3.connect(tmp_path / "one.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO one VALUES (2)")

    async def ask() -> Mark | None:
        return changes.mark()

    started = time.monotonic()
    assert asyncio.run(ask()) == before
    assert time.monotonic() - started < 5
    other.close()
    store.close()


def test_without_a_file_none_is_made_and_no_mark_is_known(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'none.db'}")

    assert Changes(store.engine).mark() is None
    assert not (tmp_path / "none.db").exists()


def test_postgres_is_asked_only_now_and_then(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = Store(postgres_url), Store(postgres_url)
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE IF NOT EXISTS one (n INTEGER NOT NULL)"))
    changes = Changes(store.engine)
    unasked = changes.mark()
    first = changes.ask()
    monkeypatch.setattr("landyard.storage.changes.KNOWN_FOR", 60)
    insert(other)
    known = changes.mark()
    monkeypatch.setattr("landyard.storage.changes.KNOWN_FOR", 0)

    assert (unasked, known, changes.mark()) == (None, first, None)
    assert changes.ask() != first
    store.close()
    other.close()


def test_postgres_is_asked_again_after_a_commit_of_this_process(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landyard.storage.changes.KNOWN_FOR", 60)
    store = Store(postgres_url)
    changes = Changes(store.engine)
    with store.session(writes=True) as session:
        session.execute(sa.text("CREATE TABLE IF NOT EXISTS one (n INTEGER NOT NULL)"))
    changes.ask()
    with store.session() as session:
        session.execute(sa.text("SELECT * FROM one")).all()
    read = changes.mark()
    insert(store)

    assert read is not None
    assert changes.mark() is None
    store.close()


def test_the_file_is_closed_with_the_store(store: Store) -> None:
    changes = Changes(store.engine)
    changes.mark()
    store.close()

    assert changes._connection is None


def test_no_call_pays_for_a_listener(store: Store) -> None:
    Changes(store.reading)

    # SQLAlchemy's note of a listener would make each connection create and ask for savepoints.
    assert "_has_events" not in vars(store.reading)
    store.close()


def test_closing_during_a_read_closes_no_other_files(store: Store) -> None:
    """Otherwise SQLite would close a descriptor that belongs to another file by then."""
    changes = Changes(store.engine)
    until = time.monotonic() + 2.0

    def ask() -> None:
        while time.monotonic() < until:
            changes.mark()

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for each in asking:
        each.start()
    lost = 0
    while time.monotonic() < until:
        changes.close()
        for end in os.pipe():
            try:
                os.close(end)
            except OSError:
                lost += 1
    for each in asking:
        each.join()

    assert lost == 0
