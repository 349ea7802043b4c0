"""A seat: plugins' code can be stopped in it, the kernel's cannot, and the race is run once."""

import gc
import itertools
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from landyard.seats import Overrun, Seat, Term, here, seated

ENOUGH = 300  # rounds that are stopped


@pytest.fixture
def _many_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Sitter:
    """A thread that does one round of work after another, while the test strikes at any moment."""

    def __init__(self) -> None:
        self.seat: Seat | None = None
        self.settled: list[Term] = []
        self.stopped: list[Term] = []
        self.wrong: list[BaseException] = []
        self.enough = False
        self._thread = threading.Thread(target=self._sit)
        self._thread.start()

    def _sit(self) -> None:
        try:
            with seated(None) as self.seat:
                for number in itertools.count():
                    if self.enough:
                        return
                    self._round(self.seat, number)
                    kernel_work()
        except BaseException as error:
            self.wrong.append(error)

    def _round(self, seat: Seat, number: int) -> None:
        seat.term = term = Term(owner="slow", seconds=0.0)
        try:
            for _ in range(number % 40):
                seat.run("slow", plugin_work, seat)
                kernel_work()
            seat.settle()
            self.settled.append(term)
        except Overrun:
            self.stopped.append(term)
        seat.rest()

    def join(self) -> None:
        self.enough = True
        self._thread.join(30)


def plugin_work(seat: Seat) -> None:
    for _ in range(3):
        seat.aside(kernel_work)
        for _ in range(5):
            len("a step")


interrupted: list[Overrun] = []


def kernel_work() -> None:
    try:
        for _ in range(10):
            len("a step")
    except Overrun as error:
        interrupted.append(error)
        raise


@pytest.fixture
def _no_collections() -> Iterator[None]:
    """Other tools have the collector call them back, in whatever thread it runs: also in ours."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_many_switches", "_no_collections")
def test_the_kernel_is_never_interrupted_and_a_race_has_one_winner() -> None:
    interrupted.clear()
    sitter = Sitter()
    expired: list[Term] = []
    spins = 0
    deadline = time.monotonic() + 30
    while not sitter.wrong and len(expired) < ENOUGH and time.monotonic() < deadline:
        seat = sitter.seat
        term = None if seat is None else seat.term
        if seat is None or term is None or term is seat.idle:
            continue
        spins += 1
        for _ in range(spins * 7 % 60):  # another moment of the round each time
            len("a step")
        if seat.expire(term):
            expired.append(term)
        if term.expired:
            seat.strike(term)
    sitter.join()

    assert sitter.wrong == []
    assert interrupted == []
    assert [id(term) for term in expired] == [id(term) for term in sitter.stopped]
    assert any(term.hit for term in expired)  # else the race was not run
    assert sitter.settled
    assert not any(term.expired for term in sitter.settled)


def test_a_seat_that_has_settled_has_no_limit() -> None:
    with seated(None) as seat:
        seat.term = Term(owner="slow", seconds=0.0)
        seat.settle()
        seat.settle()

        assert not seat.expire(seat.term)
        assert seat.run("slow", lambda: 1) == 1


def test_what_is_over_its_limit_neither_settles_nor_goes_on() -> None:
    with seated(None) as seat:
        seat.term = Term(owner="slow", seconds=0.0)
        assert seat.expire(seat.term)
        assert not seat.expire(seat.term)
        ran: list[int] = []

        with pytest.raises(Overrun):
            seat.settle()
        with pytest.raises(Overrun):
            seat.take("slow")
        with pytest.raises(Overrun):
            seat.run("slow", lambda: ran.append(1))
        seat.take("")

        assert ran == []
        assert seat.owner == ""


def test_the_kernels_work_inside_a_plugins_is_done_whole_and_then_stopped() -> None:
    with seated(None) as seat:
        seat.term = term = Term(owner="slow", seconds=0.0)
        done: list[str] = []

        def kernels() -> None:
            seat.expire(term)
            seat.strike(term)
            kernel_work()
            done.append(seat.owner)

        def plugins() -> None:
            with pytest.raises(Overrun):
                seat.aside(kernels)
            done.append(seat.owner)
            with pytest.raises(Overrun):  # and nothing more is begun for it
                seat.aside(kernels)

        seat.run("slow", plugins)

        assert done == ["", "slow"]
        assert not term.hit  # nothing was interrupted half way


def test_an_interrupt_behind_the_answer_meets_the_plugin_that_runs_alone() -> None:
    with seated(None) as seat:
        seat.term = term = Term(owner="slow", seconds=0.0)
        seat.settle()

        def hanging() -> None:
            seat.strike(term)
            for _ in range(1_000_000):
                len("a step")
            raise AssertionError("it was not stopped")

        with pytest.raises(Overrun):
            seat.run("observer", hanging)
        seat.strike(term)  # comes too late for it

        assert seat.run("another", lambda: "undisturbed") == "undisturbed"


def test_a_thread_outside_of_the_workers_has_a_seat_without_a_limit() -> None:
    seat = here()

    assert seat is here()
    assert seat.take("sample") == ""
    seat.settle()
    assert seat.take("") == "sample"

    others: list[Seat] = []
    thread = threading.Thread(target=lambda: others.append(here()))
    thread.start()
    thread.join()
    assert others[0] is not seat


def test_a_seat_is_left_with_its_thread() -> None:
    with seated(None) as seat:
        assert here() is seat
    assert here() is not seat
