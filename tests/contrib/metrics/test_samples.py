"""The file that workers share: sums over all workers, gauges of living ones."""

import sqlite3
import threading
from pathlib import Path

import pytest

from landyard_metrics.samples import ALIVE, Samples

COUNT = ("landyard_jobs_total", "landing", "a job")
GAUGE = ("landyard_workers",)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "metrics.db"


def test_counts_of_all_workers_are_added_up(file: Path) -> None:
    workers = [Samples(file) for _ in range(3)]
    for worker in workers:
        worker.add({COUNT: 2.0})
        worker.write({GAUGE: 1.0})
        worker.write({GAUGE: 1.0})  # nothing is counted twice

    assert workers[0].read() == {COUNT: 6.0, GAUGE: 3.0}


def test_workers_that_write_at_once_lose_no_count(file: Path) -> None:
    def work() -> None:
        worker = Samples(file)
        for _ in range(20):
            worker.add({COUNT: 1.0})
            worker.write({})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Samples(file).read() == {COUNT: 80.0}


def test_the_counts_of_a_worker_that_is_gone_stay(file: Path) -> None:
    clock = Clock()
    gone, left = Samples(file, clock=clock), Samples(file, clock=clock)
    for worker in (gone, left):
        worker.add({COUNT: 1.0})
        worker.write({GAUGE: 1.0})

    clock.now += ALIVE
    left.write({GAUGE: 1.0})

    assert left.read() == {COUNT: 2.0, GAUGE: 1.0}


def test_a_failed_write_is_repeated_later(tmp_path: Path) -> None:
    file = tmp_path / "away" / "metrics.db"
    worker = Samples(file)
    worker.add({COUNT: 1.0})

    with pytest.raises(OSError, match="away"):
        worker.write({})
    file.parent.mkdir()
    worker.add({COUNT: 1.0})
    worker.write({})

    assert worker.read() == {COUNT: 2.0}


def test_a_damaged_file_is_replaced(file: Path) -> None:
    file.write_bytes(b"no database at all" * 1000)
    worker = Samples(file)
    worker.add({COUNT: 1.0})

    with pytest.raises(sqlite3.DatabaseError):
        worker.write({})
    worker.write({})

    assert worker.read() == {COUNT: 1.0}


def test_only_the_owner_may_read_the_file(file: Path) -> None:
    Samples(file).write({})

    assert file.stat().st_mode & 0o777 == 0o600
