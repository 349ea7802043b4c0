"""The circuit breaker: which methods it refuses, until when, and when it accepts them again."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from kernel.sample import sample_group

from landyard import Method
from landyard.core.errors import OverloadLimit
from landyard.plugin_host.circuit_breaker import CircuitBreaker, OpenBreaker

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADMITTED = 0


def method(name: str = "greeting.hello", plugin: str = "greeting") -> Method:
    made = sample_group().methods[0]
    return msgspec.structs.replace(made, name=name, plugin=plugin, seconds=30.0)


HELLO, BYE = method(), method("greeting.bye")


class Worker:
    """A breaker with a clock set by hand, and the events that it logged."""

    def __init__(self) -> None:
        self.now = BEGAN
        self.breaker = CircuitBreaker(lambda: self.now)

    @property
    def told(self) -> list[tuple[str, OpenBreaker | None]]:
        return list(self.breaker.changes)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def hang(self, times: int = 3, which: Method = HELLO, every: float = 0.0) -> None:
        for _ in range(times):
            self.breaker.hung(which.name, which.plugin, 30.0)
            self.wait(every)

    def answer(self, which: Method = HELLO) -> int:
        """The seconds until a caller may retry; 0 means that the call begins."""
        try:
            self.breaker.admit(which)
        except OverloadLimit as error:
            return error.retry_after
        return ADMITTED


@pytest.fixture
def worker() -> Worker:
    return Worker()


def test_three_hanging_calls_open_the_breaker_of_their_method_alone(worker: Worker) -> None:
    worker.hang(2)
    before = worker.answer()
    worker.hang(1)

    assert (before, worker.answer(), worker.answer(BYE)) == (ADMITTED, 10, ADMITTED)
    reason = "3 calls ran longer than 30 s"
    opened = OpenBreaker(HELLO.name, "greeting", reason, BEGAN + timedelta(seconds=10))
    assert worker.told == [(HELLO.name, opened)]
    assert worker.breaker.open == {HELLO.name: opened}


def test_a_breaker_opened_by_a_clock_far_ahead_stays_open_for_its_usual_time(
    worker: Worker,
) -> None:
    worker.wait(86_400)
    worker.hang()
    worker.wait(-86_400)

    assert 0 < worker.answer() <= 61
    worker.wait(62)
    assert worker.answer() == ADMITTED


def test_a_refused_caller_learns_why_and_when_to_retry(worker: Worker) -> None:
    worker.hang()
    worker.wait(3.5)

    with pytest.raises(OverloadLimit, match=r"3 calls ran longer.*again in 7 seconds") as refused:
        worker.breaker.admit(HELLO)

    assert (refused.value.status, refused.value.retry_after) == (503, 7)


def test_occasional_hanging_calls_open_no_breaker(worker: Worker) -> None:
    worker.hang(10, every=76)

    assert worker.answer() == ADMITTED


def test_a_single_caller_that_repeats_its_call_can_open_the_breaker(worker: Worker) -> None:
    worker.hang(3, every=30.5)  # each call takes 30 s itself

    assert worker.told != []


def test_calls_begun_before_the_breaker_opened_do_not_prolong_it(worker: Worker) -> None:
    worker.hang(30)

    assert worker.answer() == 10
    assert len(worker.told) == 1


def test_a_finished_call_resets_the_count(worker: Worker) -> None:
    worker.hang(2)
    worker.breaker.finished(HELLO)
    worker.hang(2)

    assert worker.answer() == ADMITTED
    assert worker.told == []


def test_only_one_of_many_threads_gets_the_trial(worker: Worker) -> None:
    worker.hang()
    worker.wait(10)
    answers: list[int] = []
    begin = threading.Barrier(8)

    def ask() -> None:
        begin.wait(60)
        answers.append(worker.answer())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(answers) == [ADMITTED] + [31] * 7


def test_a_finished_trial_closes_the_breaker(worker: Worker) -> None:
    worker.hang()
    worker.wait(10)
    worker.answer()
    worker.breaker.finished(HELLO)

    assert worker.answer() == ADMITTED
    assert worker.told[1:] == [(HELLO.name, None)]
    worker.hang(3)
    assert worker.answer() == 10


def test_each_hanging_trial_doubles_the_pause_up_to_ten_minutes(worker: Worker) -> None:
    worker.hang()
    pauses = []
    for _ in range(9):
        pauses.append(worker.answer())
        worker.wait(pauses[-1])
        assert worker.answer() == ADMITTED
        worker.hang(1)

    assert pauses == [10, 20, 40, 80, 160, 320, 600, 600, 600]


def test_a_trial_without_a_result_makes_room_for_the_next(worker: Worker) -> None:
    worker.hang()
    worker.wait(10)
    worker.answer()
    worker.wait(31)

    assert [worker.answer(), worker.answer()] == [ADMITTED, 31]


def test_a_long_trial_counts_as_one_hanging_call(worker: Worker) -> None:
    patient = msgspec.structs.replace(HELLO, seconds=3600.0)
    worker.hang()
    worker.wait(10)

    assert [worker.answer(patient), worker.answer(patient)] == [ADMITTED, 600]


def test_several_open_methods_open_the_whole_plugin(worker: Worker) -> None:
    others = [method("greeting.one"), method("greeting.two"), method("greeting.three")]
    for each in others[:2]:
        worker.hang(which=each)
    two = worker.answer()
    worker.hang(which=others[2])

    assert (two, worker.answer()) == (ADMITTED, 10)
    assert worker.answer(method("other.hello", "other")) == ADMITTED


def test_any_method_of_an_open_plugin_serves_as_its_trial(worker: Worker) -> None:
    others = [method(f"greeting.{number}") for number in range(3)]
    for each in others:
        worker.hang(which=each)
    worker.wait(10)

    assert worker.answer() == ADMITTED
    worker.breaker.finished(others[0])  # two breakers stay open
    assert worker.answer() == ADMITTED


def test_the_end_of_a_suspected_call_is_reported_once(worker: Worker) -> None:
    heard: list[str] = []
    worker.breaker.suspect(HELLO.name, heard.append)
    for each in (BYE, HELLO, HELLO):
        worker.breaker.finished(each)

    assert heard == [HELLO.name]


def test_the_breaker_records_calls_only_while_it_needs_them(worker: Worker) -> None:
    heard = [worker.breaker.attentive]
    acts: list[Callable[[], object]] = [
        lambda: worker.hang(1),
        lambda: worker.breaker.finished(HELLO),
        lambda: worker.breaker.suspect(HELLO.name, str),
        lambda: worker.breaker.finished(HELLO),
        lambda: worker.hang(3),
        lambda: worker.breaker.learn({}),
    ]
    for act in acts:
        act()
        heard.append(worker.breaker.attentive)

    assert heard == [False, True, False, True, False, True, False]


# ------------------------------------------------------------------ breakers of other workers


def theirs(seconds: float = 20, **more: Any) -> dict[str, OpenBreaker]:
    until = BEGAN + timedelta(seconds=seconds)
    return {HELLO.name: OpenBreaker(HELLO.name, "greeting", "a reason", until, **more)}


def test_a_breaker_opened_by_another_worker_counts_here_and_is_not_logged_again(
    worker: Worker,
) -> None:
    worker.breaker.learn(theirs())
    refused = worker.answer()
    worker.breaker.learn({})

    assert (refused, worker.answer()) == (20, ADMITTED)
    assert worker.told == []


def test_a_breaker_closed_by_another_worker_starts_a_new_count_here(worker: Worker) -> None:
    worker.hang()
    worker.breaker.learn(worker.breaker.open)
    worker.breaker.learn({})
    worker.hang(2)

    assert worker.answer() == ADMITTED


def test_a_hanging_trial_here_doubles_the_pause_of_another_worker(worker: Worker) -> None:
    worker.breaker.learn(theirs(0, times=3))
    worker.hang(1)  # it began before
    worker.answer()
    worker.hang(1)

    assert worker.answer() == 80


def test_a_method_may_be_refused_to_one_caller_alone(worker: Worker) -> None:
    heard: list[str] = []
    worker.breaker.refuse_caller(HELLO.name, "webhook:1", 10)
    worker.breaker.suspect(HELLO.name, heard.append, "webhook:1")

    worker.breaker.admit(HELLO, "webhook:2")
    worker.breaker.finished(HELLO, "webhook:2")
    with pytest.raises(OverloadLimit):
        worker.breaker.admit(HELLO, "webhook:1")
    assert (heard, worker.breaker.open) == ([], {})

    worker.now += timedelta(seconds=11)
    worker.breaker.admit(HELLO, "webhook:1")
    worker.breaker.finished(HELLO, "webhook:1")
    assert (heard, worker.breaker.attentive) == ([HELLO.name], False)
