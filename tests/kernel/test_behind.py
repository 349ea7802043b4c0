"""Behind the answer: a plugin that is slow there delays itself alone, and is told of."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from landyard import behind
from landyard.behind import Behind

PATIENCE = 30.0


class Told:
    """Who could not keep up, as often as it was said."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.behind = Behind(self.names.append)


@pytest.fixture
def told() -> Iterator[Told]:
    told = Told()
    yield told
    told.behind.close(grace=PATIENCE)


def done(told: Told, plugin: str, *actions: Callable[[], object]) -> None:
    """Do these of a plugin, and wait until all are done."""
    over = threading.Event()
    for action in (*actions, over.set):
        told.behind.do(plugin, action)
    assert over.wait(PATIENCE)


def test_what_one_does_is_done_in_order_and_nobody_waits_for_another(told: Told) -> None:
    hung = threading.Event()
    told.behind.do("hung", lambda: hung.wait(PATIENCE))
    seen: list[int] = []

    done(told, "quick", *(lambda n=n: seen.append(n) for n in range(5)))

    assert seen == [0, 1, 2, 3, 4]
    assert told.names == []
    hung.set()


def test_one_that_raises_goes_on(told: Told) -> None:
    def leave() -> None:
        raise SystemExit

    seen: list[int] = []

    done(told, "leaving", leave, lambda: seen.append(1))

    assert seen == [1]


def test_a_slow_one_is_told_of_for_each_call_that_it_is_late_for(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behind, "LATE", 0.05)

    done(told, "slow", *[lambda: time.sleep(0.2)] * 4)

    assert told.names == ["slow"] * 3  # the first was in time


def test_what_is_late_because_of_something_else_is_not_told_of(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process itself was held up for a while: what waits is done fast."""
    monkeypatch.setattr(behind, "LATE", 0.05)

    done(told, "quick", lambda: time.sleep(0.2), *[lambda: None] * 20)

    assert told.names == []


def test_a_queue_that_is_full_takes_no_more(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behind, "MOST_BEHIND", 3)
    go, begun = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        go.wait(PATIENCE)

    told.behind.do("slow", hold)
    assert begun.wait(PATIENCE)
    seen: list[int] = []

    for number in range(5):
        told.behind.do("slow", lambda n=number: seen.append(n))  # type: ignore[misc]
    go.set()
    told.behind.close(grace=PATIENCE)

    assert seen == [0, 1, 2]
    assert told.names == ["slow"] * 2
