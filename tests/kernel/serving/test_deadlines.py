"""Deadlines: either the answer stands or its caller was told that it is late; never both or
neither.
"""

import threading

import pytest

from landyard.core.errors import DeadlineExceeded
from landyard.core.timing import Deadline


def test_a_settled_deadline_cannot_expire() -> None:
    deadline = Deadline(0.0)
    deadline.settle()
    deadline.settle()

    assert not deadline.expire()
    assert not deadline.expired


def test_an_expired_deadline_cannot_be_settled_and_expires_once() -> None:
    deadline = Deadline(0.0)

    assert [deadline.expire(), deadline.expire()] == [True, False]
    with pytest.raises(DeadlineExceeded):
        deadline.settle()


def test_a_commit_that_failed_leaves_the_deadline_open() -> None:
    deadline = Deadline(0.0)
    deadline.settle()
    deadline.reopen()

    assert deadline.expire()


def test_one_successful_commit_of_two_settles_the_deadline() -> None:
    deadline = Deadline(0.0)
    deadline.settle()
    deadline.settle()
    deadline.reopen()

    assert not deadline.expire()


def race() -> tuple[bool, bool]:
    """Settle and expire at once: return whether the answer stands, and whether its caller was
    told.
    """
    deadline = Deadline(0.0)
    begin = threading.Barrier(2)
    stands: list[bool] = []

    def settle() -> None:
        begin.wait(30)
        try:
            deadline.settle()
            stands.append(True)
        except DeadlineExceeded:
            stands.append(False)

    thread = threading.Thread(target=settle)
    thread.start()
    begin.wait(30)
    told = deadline.expire()
    thread.join(30)
    return stands[0], told


def test_of_a_concurrent_settling_and_expiry_one_wins() -> None:
    assert {race() for _ in range(300)} <= {(True, False), (False, True)}
