"""The methods, called as a client calls them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import landyard_events
import pytest
from landyard.testing import Service
from landyard_events import deliver_due

import landyard_poll

PLUGINS = [landyard_events, landyard_poll]
NOON = datetime(2027, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service(PLUGINS, now=NOON) as service:
        yield service


def add(service: Service, **more: object) -> int:
    sent = {"question": "Tea or coffee?", "choices": ["Tea", "Coffee"], **more}
    poll_id: int = service.result("poll.add", sent)["id"]
    return poll_id


def test_a_new_poll_has_no_votes(service: Service) -> None:
    added = service.result("poll.add", question=" Tea? ", choices=["Yes", " No "])

    assert added["url"].endswith("/poll/1")
    assert service.result("poll.results", id=added["id"]) == {
        "id": 1,
        "question": "Tea?",
        "end": None,
        "closed": None,
        "choices": [
            {"id": 1, "choice": "Yes", "votes": 0},
            {"id": 2, "choice": "No", "votes": 0},
        ],
        "winner": None,
    }


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"question": " "}, "POLL_QUESTION_MISSING"),
        ({"question": "x" * 201}, "TYPE_ERROR"),
        ({"choices": ["Tea"]}, "TYPE_ERROR"),
        ({"choices": [str(number) for number in range(11)]}, "TYPE_ERROR"),
        ({"choices": ["Tea", " Tea"]}, "POLL_CHOICES_REFUSED"),
        ({"choices": ["Tea", " "]}, "POLL_CHOICES_REFUSED"),
        ({"end": "2027-05-01T12:00:00Z"}, "POLL_END_PASSED"),
        ({"end": "2027-05-02T12:00:00"}, "TYPE_ERROR"),
        ({"end": "tomorrow"}, "TYPE_ERROR"),
    ],
)
def test_an_invalid_poll_is_refused(service: Service, sent: dict[str, Any], error: str) -> None:
    whole = {"question": "Tea or coffee?", "choices": ["Tea", "Coffee"], **sent}

    assert service.call("poll.add", whole).error == error
    assert service.call("poll.results", id=1).error == "POLL_NOT_FOUND"


def test_the_largest_number_of_choices_is_a_setting() -> None:
    with Service(PLUGINS, poll={"choices": 3}) as service:
        add(service, choices=["1", "2", "3"])
        refused = service.call("poll.add", question="?", choices=["1", "2", "3", "4"])

    assert refused.error == "POLL_TOO_MANY_CHOICES"
    assert "3 choices" in refused.body["error_description"]


def test_a_poll_is_closed_once(service: Service) -> None:
    poll_id = add(service)

    assert service.result("poll.close", id=poll_id) is True
    assert service.call("poll.close", id=poll_id).error == "POLL_IS_CLOSED"
    assert service.call("poll.close", id=99).error == "POLL_NOT_FOUND"
    assert service.result("poll.results", id=poll_id)["closed"] == "2027-05-01T12:00:00Z"
    assert deliver_due(service.kernel) == 1


def test_a_poll_without_votes_has_no_winner(service: Service) -> None:
    poll_id = add(service)
    service.result("poll.close", id=poll_id)
    deliver_due(service.kernel)

    assert service.result("poll.results", id=poll_id)["winner"] is None


def test_the_job_closes_ended_polls(service: Service) -> None:
    ended, open_still = add(service, end="2027-05-01T13:00:00Z"), add(service)
    service.run_jobs()
    assert service.result("poll.results", id=ended)["closed"] is None

    service.later(hours=1)

    assert "poll.close_ended" in service.run_jobs()
    assert service.result("poll.results", id=ended)["closed"] == "2027-05-01T13:00:00Z"
    assert service.result("poll.results", id=open_still)["closed"] is None
    assert deliver_due(service.kernel) == 1
    service.later(hours=1)
    service.run_jobs()
    assert deliver_due(service.kernel) == 0


def test_the_scope_is_needed() -> None:
    world = {
        "users": [{"id": 1, "name": "Ann"}],
        "webhooks": [{"user": 1, "code": "test-webhook-0123456789", "scopes": ["landing"]}],
    }
    with Service(PLUGINS, world=world) as service:
        assert service.call("poll.results", id=1).error == "insufficient_scope"
