"""`landyard tasks` lists waiting events, dead letters and subscribers, and retries or drops
events.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from kernel.commands import ConsoleOf
from plugins.events.polls import Polls, Voted

from landyard import Event, Subscriber
from landyard.testing import Service
from landyard_events import after, deliver_due
from landyard_events.commands import tasks


class PollEvent(Event, frozen=True):
    """A base type without a topic."""


class Words:
    """A service with one failing poll, and the commands of `tasks`."""

    def __init__(self, service: Service, polls: Polls) -> None:
        self.service, self.polls = service, polls

    def run(self, *words: str, given: str = "") -> Result:
        return CliRunner().invoke(tasks, words, input=given, obj=ConsoleOf(self.service.kernel))

    def listed(self, *words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = msgspec.json.decode(self.run(*words, "--json").stdout)
        return found


@pytest.fixture
def words(tmp_path: Path) -> Iterator[Words]:
    polls = Polls()
    more = (Subscriber(each, lambda *_: None) for each in (Voted, PollEvent, Event))
    polls.subscribers = (*polls.subscribers, *more)
    with Service(polls.plugins(), data=tmp_path, events={"tries": 2, "pause": 60.0}) as service:
        polls.failing = {0}
        service.result("poll.vote", poll=1, votes=3)
        deliver_due(service.kernel, raise_failures=False)
        yield Words(service, polls)


def bury(words: Words) -> None:
    words.service.later(minutes=2)
    deliver_due(words.service.kernel, raise_failures=False)


def test_lists_failing_events_and_dead_letters(words: Words) -> None:
    first: dict[str, Any] = {
        "state": "waiting",
        "subscriber": "poll.count",
        "target": "",
        "subject": "poll:1",
    }
    first |= {"topic": "ballot.voted", "tries": 1, "error": "ValueError: vote 0 does not count"}
    rows = words.listed("list")
    assert len(rows) == 3
    assert rows[0].items() >= first.items()
    assert [each["id"] for each in words.listed("list", "--failing")] == [rows[0]["id"]]
    assert words.listed("list", "--dead") == []

    bury(words)

    (dead,) = words.listed("list")
    assert dead.items() >= {**first, "state": "dead", "tries": 2, "next": None}.items()
    assert words.polls.heard[-1][1:] == (1, 2)


def test_retries_dead_letters_and_waiting_events_at_once(words: Words) -> None:
    words.polls.failing = set()
    waiting = str(words.listed("list")[0]["id"])
    assert words.run("retry", waiting).stdout == "1 event due again\n"
    assert deliver_due(words.service.kernel) == 3

    words.polls.failing = {0}
    words.service.result("poll.vote", poll=1)
    deliver_due(words.service.kernel, raise_failures=False)
    bury(words)
    (dead,) = words.listed("list", "--dead")
    words.polls.failing = set()
    assert words.run("retry", "--dead").stdout == "1 event due again\n"
    assert (deliver_due(words.service.kernel), words.listed("list")) == (1, [])
    assert dead["state"] == "dead"


def test_drops_events_after_a_confirmation(words: Words) -> None:
    first = str(words.listed("list")[0]["id"])
    assert words.run("drop", first, given="n\n").exit_code == 1
    assert len(words.listed("list")) == 3
    assert words.run("drop", first, "--yes").stdout == "1 event removed for good\n"
    assert deliver_due(words.service.kernel) == 2

    words.service.result("poll.vote", poll=1)
    deliver_due(words.service.kernel, raise_failures=False)
    bury(words)
    assert words.run("drop", "--dead", "--yes").stdout == "1 event removed for good\n"
    assert words.listed("list") == []


def test_an_unknown_event_is_reported(words: Words) -> None:
    assert "there is no event 999" in words.run("retry", "999").stderr
    assert "name ids" in words.run("drop", "--yes").stderr


def test_lists_subscribers_and_events_for_switched_off_ones(words: Words) -> None:
    inside = {"event": "ballot.voted", "plugin": "poll", "when": "inside", "name": ""}
    after_it = {**inside, "when": "after", "name": "poll.count", "waiting": 3, "dead": None}
    rows = words.listed("subscribers")
    assert after_it in rows
    assert {**inside, "waiting": None, "dead": None} in rows
    assert {"PollEvent", "*"} <= {each["event"] for each in rows}

    data = words.service.kernel.settings.data
    others = Polls(after(Voted, "poll.other", print))
    with Service(others.plugins(), data=data, world={}) as without:
        # an event for a switched-off subscriber goes on waiting
        assert deliver_due(without.kernel) == 0
        off = Words(without, others).listed("subscribers")[-1]
    assert (off["when"], off["name"], off["waiting"]) == ("off", "poll.count", 3)
