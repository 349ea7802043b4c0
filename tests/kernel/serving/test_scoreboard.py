"""The scoreboard: a supervisor reads what a worker wrote, even after the worker was killed."""

import subprocess
import sys
import timeit

import pytest

from landyard.serving.scoreboard import SLOTS, Scoreboard

FORKED = """
import os, signal
from landyard.serving.scoreboard import Scoreboard

scoreboard = Scoreboard()
pid = os.fork()
if pid == 0:
    scoreboard.begin(scoreboard.take_slot(), "landing.block.getlist", "id-1")
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(pid, 0)
print(scoreboard.calls())
"""


def test_notes_of_a_killed_child_are_read() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, check=True, text=True
    )

    assert done.stdout == "[('landing.block.getlist', 'id-1')]\n"


def test_an_ended_call_is_not_listed() -> None:
    scoreboard = Scoreboard()
    first, second = scoreboard.take_slot(), scoreboard.take_slot()
    scoreboard.begin(first, "a", "1")
    scoreboard.begin(second, "b", "2")
    scoreboard.end(first)

    assert scoreboard.calls() == [("b", "2")]


def test_long_and_odd_names_are_shortened() -> None:
    scoreboard = Scoreboard()
    scoreboard.begin(scoreboard.take_slot(), "ä" * 99, "i" * 99)

    assert scoreboard.calls() == [("ä" * 32, "i" * 64)]


def test_threads_beyond_the_slots_are_left_out_and_do_no_harm() -> None:
    scoreboard = Scoreboard()
    slots = [scoreboard.take_slot() for _ in range(SLOTS + 2)]
    for slot in slots:
        scoreboard.begin(slot, "a", "1")

    assert len(scoreboard.calls()) == SLOTS
    for slot in slots:
        scoreboard.give_back(slot)
    assert scoreboard.calls() == []


@pytest.mark.soak  # it measures time, which parallel tests would disturb
def test_a_note_costs_less_than_two_microseconds() -> None:
    scoreboard = Scoreboard()
    slot = scoreboard.take_slot()

    def note() -> None:
        scoreboard.begin(slot, "landing.block.updatenodes", "0123456789abcdef0123456789abcdef")
        scoreboard.end(slot)

    assert min(timeit.repeat(note, number=10_000, repeat=5)) / 10_000 < 2e-6
