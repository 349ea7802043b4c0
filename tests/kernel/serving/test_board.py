"""The board: what a worker writes, also one that was killed, is read by its supervisor."""

import subprocess
import sys
import timeit

import pytest

from landyard.serving.board import SLOTS, Board

FORKED = """
import os, signal
from landyard.serving.board import Board

board = Board()
pid = os.fork()
if pid == 0:
    board.begin(board.take_slot(), "landing.block.getlist", "id-1")
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(pid, 0)
print(board.calls())
"""


def test_what_a_killed_child_wrote_is_read() -> None:
    said = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, check=True, text=True
    )

    assert said.stdout == "[('landing.block.getlist', 'id-1')]\n"


def test_a_call_that_ended_is_not_calls() -> None:
    board = Board()
    first, second = board.take_slot(), board.take_slot()
    board.begin(first, "a", "1")
    board.begin(second, "b", "2")
    board.end(first)

    assert board.calls() == [("b", "2")]


def test_long_and_odd_names_are_cut() -> None:
    board = Board()
    board.begin(board.take_slot(), "ä" * 99, "i" * 99)

    assert board.calls() == [("ä" * 32, "i" * 64)]


def test_threads_beyond_the_slots_are_not_shown_and_hurt_nobody() -> None:
    board = Board()
    slots = [board.take_slot() for _ in range(SLOTS + 2)]
    for slot in slots:
        board.begin(slot, "a", "1")

    assert len(board.calls()) == SLOTS
    for slot in slots:
        board.give_back(slot)
    assert board.calls() == []


@pytest.mark.soak  # it is timed: what runs beside it would be measured
def test_a_note_costs_less_than_two_microseconds() -> None:
    board = Board()
    slot = board.take_slot()

    def note() -> None:
        board.begin(slot, "landing.block.updatenodes", "0123456789abcdef0123456789abcdef")
        board.end(slot)

    assert min(timeit.repeat(note, number=10_000, repeat=5)) / 10_000 < 2e-6
