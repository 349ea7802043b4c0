"""Usage: the calls of the last hour by plugin, summed over all workers."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from landyard import Kernel, Settings
from landyard.plugin_host.usage import Hour, Usage, hour_of, last_hour

NOON = datetime(2026, 3, 26, 12, tzinfo=UTC)


class Desk:
    """A database, a clock set by hand, and workers that write."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.now = NOON
        self.kernel = Kernel(Settings(**settings), [])
        self.store = self.kernel.store

    def worker(self) -> Usage:
        return Usage(lambda: self.now)

    def write(self, *workers: Usage) -> None:
        for worker in workers:
            worker.flush(self.store)

    def hour(self, plugin: str = "sample") -> Hour:
        return hour_of(last_hour(self.store, self.now), plugin)

    def rows(self) -> int:
        with self.store.session() as session:
            return int(session.execute(sa.text("SELECT count(*) FROM landyard_usage")).scalar_one())


@pytest.fixture
def desk(database: dict[str, Any]) -> Iterator[Desk]:
    desk = Desk(database)
    yield desk
    desk.kernel.close()


def note(worker: Usage, calls: int, seconds: float = 0.01, plugin: str = "sample") -> None:
    for _ in range(calls):
        worker.count(plugin, seconds, "")


def test_calls_and_errors_of_all_workers_are_summed_up_by_plugin(desk: Desk) -> None:
    one, other = desk.worker(), desk.worker()
    note(one, 3)
    note(one, 2, plugin="second")
    note(other, 4)
    one.count("sample", 0.01, "first reason")
    desk.write(one)
    desk.now += timedelta(seconds=1)
    other.count("sample", 0.01, "last reason")
    desk.write(other)

    hour = desk.hour()
    assert (hour.calls, hour.errors, hour.last_error) == (9, 2, "last reason")
    assert (desk.hour("second").calls, desk.hour("second").last_error) == (2, "")


def test_the_usage_of_several_names_includes_all_their_calls(desk: Desk) -> None:
    worker = desk.worker()
    note(worker, 3, plugin="sample.one")
    note(worker, 1, 1.0, plugin="sample.other")
    worker.count("sample", 0.01, "a hook failed")
    desk.write(worker)

    rows = last_hour(desk.store, desk.now)
    hour = hour_of(rows, "sample", "sample.one", "sample.other", "sample.idle")

    assert (hour.calls, hour.errors, hour.last_error) == (5, 1, "a hook failed")
    assert hour.p95 == pytest.approx(1.0, rel=0.26)
    assert hour_of(rows, "sample.one").p95 == pytest.approx(0.01, rel=0.26)
    assert hour_of(rows, "sample.idle") == Hour()


def test_calls_are_not_counted_twice(desk: Desk) -> None:
    worker = desk.worker()
    for _ in range(3):
        note(worker, 2)
        desk.write(worker, worker)
        desk.now += timedelta(seconds=25)

    assert desk.hour().calls == 6


@pytest.mark.parametrize("seconds", [0.000_02, 0.003, 0.047, 1.0, 29.0])
def test_the_p95_is_exact_to_a_fifth(desk: Desk, seconds: float) -> None:
    worker = desk.worker()
    note(worker, 95, seconds)
    note(worker, 5, 90.0)  # the slowest calls are beyond the percentile
    desk.write(worker)

    assert desk.hour().p95 == pytest.approx(seconds, rel=0.26)


@pytest.mark.parametrize(("seconds", "p95"), [(0.0, 0.000_01), (5000.0, 100.0)])
def test_times_beyond_the_histogram_count_as_its_ends(
    desk: Desk, seconds: float, p95: float
) -> None:
    worker = desk.worker()
    note(worker, 20, seconds)
    desk.write(worker)

    assert desk.hour().p95 == pytest.approx(p95, rel=0.26)


def test_counts_older_than_an_hour_are_ignored_and_deleted(desk: Desk) -> None:
    worker = desk.worker()
    note(worker, 3)
    desk.write(worker)
    desk.now += timedelta(minutes=59)
    within = desk.hour().calls
    desk.now += timedelta(minutes=1)
    beyond = desk.hour().calls
    note(worker, 1)
    desk.write(worker)

    assert (within, beyond, desk.rows()) == (3, 0, 1)


def test_nothing_is_written_without_new_calls(desk: Desk) -> None:
    desk.write(desk.worker())

    assert desk.rows() == 0


def test_a_failed_write_loses_no_count(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise DBAPIError("", {}, OSError("gone"))

    worker = desk.worker()
    note(worker, 2)
    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "run", away)
        with pytest.raises(DBAPIError):
            desk.write(worker)
    note(worker, 1)
    desk.write(worker)

    assert desk.hour().calls == 3


def test_concurrent_threads_lose_no_count(desk: Desk) -> None:
    worker = desk.worker()
    threads = [threading.Thread(target=note, args=(worker, 500)) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        desk.write(worker)
    desk.write(worker)

    assert desk.hour().calls == 4000


def test_a_reason_is_one_line_without_control_characters(desk: Desk) -> None:
    worker = desk.worker()
    worker.count("sample", 0.0, "two\nlines\x1b[2J" + 1000 * "x")
    desk.write(worker)

    reason = desk.hour().last_error
    assert reason.startswith("two lines")
    assert len(reason) == 300
    assert reason.replace("\N{REPLACEMENT CHARACTER}", "").isprintable()
