"""The supervisor derives the faults of workers from their reports."""

import socket
from typing import Any

import pytest

from landyard.serving.health_checks import Rules, Watch
from landyard.serving.processes import Child, Health, Link
from landyard.serving.scoreboard import Scoreboard
from landyard.storage.group_commit import WriteLock

NOW = 1000.0
RULES = Rules()


def worker(pid: int = 1, **lock: Any) -> Child:
    """A worker whose event loop turned just now."""
    child = Child(pid, Link(socket.socket()), Scoreboard())
    child.health = Health(turned_at=NOW, lock=WriteLock(**lock))
    child.link.close()
    return child


def faults(*workers: Child, now: float = NOW) -> list[tuple[int, str, str]]:
    found = Watch(RULES).faults(workers, now)
    return [(each.worker.pid, each.reason, each.method) for each in found]


def test_a_healthy_worker_has_no_fault() -> None:
    assert faults(worker()) == []


def test_a_standing_loop_is_blocked_unless_the_worker_stops() -> None:
    stands, stops = worker(1), worker(2)
    stops.end_by = NOW + 100

    assert faults(stands, stops, now=NOW + 4.9) == []
    assert faults(stands, stops, now=NOW + 5.1) == [(1, "loop_blocked", "")]


@pytest.mark.parametrize(("seconds", "late"), [(9.9, False), (10.1, True)])
def test_a_call_may_run_ten_seconds_past_its_limit(seconds: float, late: bool) -> None:
    slow = worker(1)
    slow.health = Health(NOW, over_limit_since=NOW - seconds, over_limit="a.slow")

    assert faults(slow) == ([(1, "call_over_limit", "a.slow")] if late else [])


def test_a_lock_that_any_worker_waits_for_is_held_too_long() -> None:
    holds = worker(1, held_since=NOW - 6, holder="a.holds")
    waits = worker(2, waiting_since=NOW - 1)

    assert faults(holds) == []
    assert faults(holds, waits) == [(1, "write_lock_held", "a.holds")]


def test_a_lock_kept_by_a_standing_loop_is_not_blamed_on_its_holder() -> None:
    stands = worker(1, held_since=NOW - 1, holder="an.innocent")

    assert faults(stands, worker(2, waiting_since=NOW), now=NOW + 4.9) == []
    assert faults(stands, now=NOW + 5.1) == [(1, "loop_blocked", "")]


def test_a_lock_held_by_no_known_call_reloads_all_once_until_writes_work_again() -> None:
    watch = Watch(RULES)
    both = [worker(1, busy_since=NOW - 31), worker(2)]

    def reasons() -> list[str]:
        return [each.reason for each in watch.faults(both, NOW)]

    assert reasons() == ["database_locked"] * 2
    assert reasons() == []
    both[0].health = Health(turned_at=NOW)
    assert reasons() == []
    both[0].health = Health(turned_at=NOW, lock=WriteLock(busy_since=NOW - 31))
    assert reasons() == ["database_locked"] * 2


def test_the_worker_after_whose_end_writes_work_has_freed_the_lock() -> None:
    watch = Watch(RULES)
    holder, other = worker(7, busy_since=NOW - 31), worker(8, busy_since=NOW - 31)
    list(watch.faults([holder, other], NOW))
    watch.note_end(holder, NOW)

    assert watch.waits
    assert watch.freed_by([other], NOW + 1) == 0
    other.health = Health(turned_at=NOW)
    assert watch.freed_by([other], NOW + 2) == 7
    assert not watch.waits
