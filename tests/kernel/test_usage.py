"""Usage: the calls of the last hour by plugin, whichever worker answered them."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from landyard import Kernel, Settings
from landyard.ledger import Ledger
from landyard.usage import Hour, Usage, last_hour
from landyard.writers import Busy


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Desk:
    """A ledger whose clock is set by hand, and workers that write to it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.clock = Clock(1_700_000_000.0)
        self.kernel = Kernel(Settings(**settings), [])
        self.ledger = Ledger(self.kernel.settings, self.kernel.store, clock=self.clock)

    def worker(self) -> Usage:
        return Usage(self.clock)

    def hour(self) -> dict[str, Hour]:
        return last_hour(self.ledger)

    def rows(self) -> int:
        with self.ledger._store.session() as session:
            return int(session.execute(sa.text("SELECT count(*) FROM ledger_usage")).scalar_one())

    def close(self) -> None:
        self.ledger.close()
        self.kernel.close()


@pytest.fixture
def desk(database: dict[str, Any]) -> Iterator[Desk]:
    desk = Desk(database)
    yield desk
    desk.close()


def note(worker: Usage, plugin: str, calls: int, seconds: float = 0.01, errors: int = 0) -> None:
    for number in range(calls):
        worker.note(plugin, seconds, failed=number < errors)


def test_calls_and_errors_of_all_workers_are_summed_up_by_plugin(desk: Desk) -> None:
    one, other = desk.worker(), desk.worker()
    note(one, "blocks", 30, errors=2)
    note(one, "pages", 1)
    note(other, "blocks", 12, errors=1)
    for worker in (one, other):
        worker.flush(desk.ledger)

    hour = desk.hour()

    assert {name: (each.calls, each.errors) for name, each in hour.items()} == {
        "blocks": (42, 3),
        "pages": (1, 0),
    }


def test_what_was_counted_once_is_not_counted_again(desk: Desk) -> None:
    worker = desk.worker()
    for _ in range(4):
        note(worker, "blocks", 10, errors=1)
        worker.flush(desk.ledger)
        worker.flush(desk.ledger, at_once=True)
        desk.clock.now += 30.0

    assert (desk.hour()["blocks"].calls, desk.hour()["blocks"].errors) == (40, 4)


@pytest.mark.parametrize("seconds", [0.000_02, 0.000_3, 0.004, 0.05, 0.7, 9.0, 60.0])
def test_the_p95_is_exact_to_a_tenth(desk: Desk, seconds: float) -> None:
    worker = desk.worker()
    note(worker, "blocks", 90, 0.000_015)
    note(worker, "blocks", 10, seconds)
    worker.flush(desk.ledger)

    assert desk.hour()["blocks"].p95 == pytest.approx(seconds, rel=0.27)


def test_the_p95_of_evenly_spread_calls_lies_within_their_step(desk: Desk) -> None:
    worker = desk.worker()
    for number in range(1, 1001):
        worker.note("blocks", number / 1000, failed=False)
    worker.flush(desk.ledger)

    assert desk.hour()["blocks"].p95 == pytest.approx(0.95, rel=0.05)


@pytest.mark.parametrize(("seconds", "p95"), [(0.0, 0.000_01), (5000.0, 100.0)])
def test_seconds_beyond_the_histogram_count_as_its_ends(
    desk: Desk, seconds: float, p95: float
) -> None:
    worker = desk.worker()
    note(worker, "blocks", 20, seconds)
    worker.flush(desk.ledger)

    assert desk.hour()["blocks"].p95 == pytest.approx(p95, rel=0.27)


def test_what_is_older_than_an_hour_does_not_count_and_goes(desk: Desk) -> None:
    worker = desk.worker()
    note(worker, "blocks", 1)
    worker.flush(desk.ledger)
    desk.clock.now += 1800.0
    note(worker, "blocks", 2)
    worker.flush(desk.ledger)
    assert desk.hour()["blocks"].calls == 3
    desk.clock.now += 1860.0

    assert desk.hour()["blocks"].calls == 2
    desk.ledger.forget()
    assert desk.rows() == 1


def test_nothing_is_written_where_nothing_is_new_or_it_was_just_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    keep = desk.ledger.keep_uses

    def counted(uses: Any) -> None:
        writes.append(len(uses))
        keep(uses)

    monkeypatch.setattr(desk.ledger, "keep_uses", counted)
    worker = desk.worker()
    for _ in range(20):  # a second each
        worker.flush(desk.ledger)
        desk.clock.now += 1.0
    assert writes == []
    for _ in range(20):
        note(worker, "blocks", 1)
        worker.flush(desk.ledger)
        desk.clock.now += 1.0
    worker.flush(desk.ledger, at_once=True)

    assert writes == [1] * 5
    assert desk.hour()["blocks"].calls == 20


def test_a_write_that_fails_loses_no_count(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = desk.worker()

    def fails(_: Any) -> None:
        note(worker, "blocks", 3, errors=1)  # another call, meanwhile
        raise Busy

    note(worker, "blocks", 4, errors=2)
    with monkeypatch.context() as patched:
        patched.setattr(desk.ledger, "keep_uses", fails)
        with pytest.raises(Busy):
            worker.flush(desk.ledger)
    desk.clock.now += 60.0
    worker.flush(desk.ledger)

    assert (desk.hour()["blocks"].calls, desk.hour()["blocks"].errors) == (7, 3)


def test_threads_that_count_at_once_lose_none(desk: Desk) -> None:
    worker = desk.worker()
    threads = [threading.Thread(target=note, args=(worker, "blocks", 20_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        worker.flush(desk.ledger, at_once=True)
    for thread in threads:
        thread.join()
    worker.flush(desk.ledger, at_once=True)

    assert desk.hour()["blocks"].calls == 80_000


def ledger_at(folder: Path) -> Ledger:
    """A ledger as a command of a service that is down makes it."""
    kernel = Kernel(Settings(data=folder), [])
    kernel.close()
    return Ledger(kernel.settings, kernel.store)


def test_it_is_read_while_the_service_is_down(desk: Desk, database: dict[str, Any]) -> None:
    desk.clock.now = time.time()
    worker = desk.worker()
    note(worker, "blocks", 5)
    worker.flush(desk.ledger)
    desk.ledger.close()
    kernel = Kernel(Settings(**database), [])
    ledger = Ledger(kernel.settings, kernel.store)

    assert last_hour(ledger)["blocks"].calls == 5
    ledger.close()
    kernel.close()


def test_reading_makes_no_file(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path / "data")

    assert last_hour(ledger) == {}
    assert not (tmp_path / "data").exists()


def test_a_file_of_an_older_version_holds_nothing(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "limits.db")
    connection.execute("CREATE TABLE ledger_bucket (key VARCHAR PRIMARY KEY)")
    connection.close()
    ledger = ledger_at(tmp_path)

    assert last_hour(ledger) == {}
    ledger.close()


def test_a_file_that_is_none_holds_nothing_and_is_left_as_it_is(tmp_path: Path) -> None:
    text = b"this is no database" * 100
    (tmp_path / "limits.db").write_bytes(text)
    ledger = ledger_at(tmp_path)

    assert last_hour(ledger) == {}
    assert (tmp_path / "limits.db").read_bytes() == text


def test_calls_of_threads_that_have_ended_are_counted_once_and_let_go(desk: Desk) -> None:
    worker = desk.worker()
    for _ in range(3):
        thread = threading.Thread(target=lambda: worker.note("one", 0.1, failed=False))
        thread.start()
        thread.join()
        worker.flush(desk.ledger, at_once=True)
    worker.flush(desk.ledger, at_once=True)

    assert desk.hour()["one"].calls == 3
    assert worker._counted == []
