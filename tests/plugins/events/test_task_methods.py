"""`landyard.task.*` and `landyard.subscriber.list` do by calls what `landyard tasks` does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plugins.events.polls import Polls

from landyard.testing import Service
from landyard_events import deliver_due


@pytest.fixture
def polls() -> Polls:
    return Polls()


@pytest.fixture
def service(tmp_path: Path, polls: Polls) -> Iterator[Service]:
    """A service with a dead letter and one waiting event."""
    with Service(polls.plugins(), data=tmp_path, events={"tries": 1, "pause": 60.0}) as service:
        polls.failing = {0}
        service.result("poll.vote", poll=1, votes=3)
        deliver_due(service.kernel, raise_failures=False)
        deliver_due(service.kernel, raise_failures=False)
        service.result("poll.vote", poll=2)
        yield service


def tasks(service: Service, **sent: Any) -> list[Any]:
    found: list[Any] = service.result("landyard.task.list", sent)
    return found


def test_tasks_are_listed_with_dead_letters_first(service: Service) -> None:
    dead, waiting = tasks(service)

    assert dead["state"] == "dead"
    assert (dead["subscriber"], dead["subject"], dead["tries"]) == ("poll.count", "poll:1", 1)
    assert (dead["error"], dead["next"]) == ("ValueError: vote 0 does not count", None)
    assert (waiting["state"], waiting["subject"], waiting["tries"]) == ("waiting", "poll:2", 0)
    assert tasks(service, state="dead") == [dead]
    assert tasks(service, state="failing") == []


def test_a_dead_letter_is_retried_or_dropped(service: Service, polls: Polls) -> None:
    waiting = tasks(service)[1]["id"]
    assert service.result("landyard.task.drop", ids=[waiting]) == 1
    polls.failing = set()
    assert service.result("landyard.task.retry", dead=True) == 1
    assert deliver_due(service.kernel) == 1
    assert tasks(service) == []


def test_subscribers_are_listed(service: Service) -> None:
    answer = service.result("landyard.subscriber.list")

    found = next(each for each in answer if each["name"] == "poll.count")
    assert (found["event"], found["when"], found["dead"]) == ("ballot.voted", "after", 1)


@pytest.mark.parametrize(
    ("method", "sent", "code"),
    [
        ("task.list", {"state": "gone"}, "TYPE_ERROR"),
        ("task.list", {"start": "x"}, "TYPE_ERROR"),
        ("task.retry", {}, "MISSING_PARAMS"),
        ("task.retry", {"ids": "x"}, "TYPE_ERROR"),
        ("task.retry", {"ids": [10**30]}, "TASK_NOT_FOUND"),
        ("task.drop", {"ids": [9999]}, "TASK_NOT_FOUND"),
        ("task.drop", {"dead": "x"}, "TYPE_ERROR"),
    ],
)
def test_wrong_parameters_are_refused(service: Service, method: str, sent: Any, code: str) -> None:
    before = tasks(service)

    assert service.call(f"landyard.{method}", sent).error == code
    assert tasks(service) == before
