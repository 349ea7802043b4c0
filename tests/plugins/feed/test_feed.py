"""A feed sends events as they happen to permitted users, and repeats missed ones after a
reconnection.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec import Struct

import landyard_events
import landyard_feed
import landyard_signin
from landyard import (
    Actor,
    Call,
    Event,
    MethodGroup,
    MissingParams,
    Plugin,
    Subscriber,
    WrongType,
    hookimpl,
)  # fmt: skip
from landyard.testing import WEBHOOK, Service
from landyard_events import deliver_due
from landyard_feed import Feed, listeners

WORLD = {
    "users": [{"id": 1, "name": "Ann", "admin": True}, {"id": 2, "name": "Ben"}],
    "webhooks": [{"user": 1, "code": WEBHOOK, "scopes": ["poll"]}],
    "tokens": [
        {"user": id_, "token": f"token-of-{id_}-0123456789", "scopes": []} for id_ in (1, 2)
    ],
}


class Voted(Event, frozen=True):
    topic = "regatta.voted"

    vote: int


class Vote(Struct, frozen=True):
    vote: int


class Polls:
    requires = ("feed",)

    def __init__(self) -> None:
        self.group = MethodGroup(scope="poll")
        self.group.method("poll.vote", errors=[MissingParams, WrongType], writes=True)(self.vote)

    @staticmethod
    def vote(call: Call, params: Vote) -> bool:
        """Vote."""
        call.publish(Voted(params.vote))
        return True

    @staticmethod
    def may_hear(actor: Actor, event: Voted) -> bool:
        return actor.admin or event.vote < 10

    @hookimpl
    def register_methods(self) -> MethodGroup:
        return self.group

    @hookimpl
    def register_subscribers(self) -> Iterable[Subscriber]:
        return [Feed("poll.votes", Voted, self.may_hear).subscriber()]


@contextmanager
def serving(**settings: Any) -> Iterator[Service]:
    plugins: Any = [landyard_events, landyard_signin, landyard_feed, Plugin("poll", Polls())]
    with Service(plugins, world=WORLD, **settings) as service:
        yield service


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "POLL_SECONDS", 0.02)


def votes(service: Service, *numbers: int) -> None:
    for number in numbers:
        service.result("poll.vote", vote=number)
    deliver_due(service.kernel)


class Client:
    """A client of the feed; `text` is what it received, `ended` whether the feed ended properly."""

    def __init__(
        self, service: Service, user: int = 1, last: str = "", *, reads: bool = True
    ) -> None:
        self._app, self._reads = service.web_app, reads
        self.status, self.text, self.ended = 0, "", False
        self._gone = asyncio.Event()
        headers = {"authorization": f"Bearer token-of-{user}-0123456789", "last-event-id": last}
        self._headers = [(name.encode(), text.encode()) for name, text in headers.items() if text]
        self.task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        scope = {"type": "http", "method": "GET", "path": "/-/events", "raw_path": b"/-/events"}
        more = {"query_string": b"feed=poll.votes", "headers": self._headers, "client": None}
        await self._app({**scope, **more, "root_path": ""}, self._receive, self._send)

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.text += message.get("body", b"").decode()
        self.ended = message.get("more_body") is False
        if not self._reads and "data:" in self.text:
            await asyncio.sleep(60)

    async def until(self, done: Callable[[], bool]) -> None:
        for _ in range(6000):
            if done():
                return
            await asyncio.sleep(0.01)
        pytest.fail(f"it did not come: {self.text!r}")

    async def leave(self) -> None:
        self._gone.set()
        await self.task


async def aside(work: Callable[..., Any], *given: Any) -> None:
    await asyncio.get_running_loop().run_in_executor(None, work, *given)


async def hear_and_come_back(service: Service) -> None:
    ann, ben = Client(service), Client(service, user=2)
    await ann.until(lambda: "retry" in ann.text and "retry" in ben.text)
    await asyncio.sleep(0.1)
    await aside(votes, service, 1, 11, 2)
    await ann.until(lambda: '{"vote":2}' in ann.text and '{"vote":2}' in ben.text)

    assert 'id: 2\nevent: regatta.voted\ndata: {"vote":11}\n\n' in ann.text
    assert '"vote":11' not in ben.text
    await asyncio.gather(ann.leave(), ben.leave())

    again = Client(service, last="1")
    await again.until(lambda: '{"vote":2}' in again.text)
    assert [line for line in again.text.split() if line.isdigit()] == ["3000", "2", "3"]
    assert "missed" not in again.text
    await again.leave()


def test_events_are_heard_as_they_happen_and_missed_ones_after_a_reconnection(quick: None) -> None:
    with serving() as service:
        asyncio.run(hear_and_come_back(service))


def test_the_same_on_postgresql(quick: None, postgres_url: str) -> None:
    with serving(database_url=postgres_url) as service:
        asyncio.run(hear_and_come_back(service))


def test_listeners_take_no_thread_each_and_one_too_many_is_refused(quick: None) -> None:
    async def listen(service: Service) -> None:
        first = Client(service)
        await first.until(lambda: "retry" in first.text)
        threads = threading.active_count()
        others = [Client(service) for _ in range(39)]
        await first.until(lambda: all("retry" in each.text for each in others))
        assert threading.active_count() <= threads + 4
        late = Client(service)
        await late.task
        assert late.status == 503
        await aside(votes, service, 1)
        await first.until(lambda: all('"vote":1' in each.text for each in others))
        await asyncio.gather(*[each.leave() for each in (first, *others)])

    with serving(feed={"listeners": 40}) as service:
        asyncio.run(listen(service))


def test_a_feed_ends_with_the_worker_and_with_the_credential(
    quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "HEARTBEAT", 0.05)

    async def listen(service: Service) -> None:
        ann, ben = Client(service), Client(service, user=2)
        await ann.until(lambda: ":\n\n" in ann.text and ":\n\n" in ben.text)
        service.load({"users": [{"id": 2, "name": "Ben", "active": False}]})
        await ben.until(lambda: ben.ended)
        assert not ann.ended
        service.kernel.process.stopping = True
        await ann.until(lambda: ann.ended)
        await asyncio.gather(ann.task, ben.task)

    with serving() as service:
        asyncio.run(listen(service))


def test_a_client_that_does_not_read_is_dropped_without_an_end(
    quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "MOST_WAITING", 3)

    async def listen(service: Service) -> None:
        slow = Client(service, reads=False)
        await slow.until(lambda: "retry" in slow.text)
        await asyncio.sleep(0.1)
        await aside(votes, service, 1)
        await slow.until(lambda: "data:" in slow.text)
        await aside(votes, service, 2, 3, 4, 5, 6)
        await slow.task
        assert not slow.ended

    with serving() as service:
        asyncio.run(listen(service))


def test_one_user_takes_no_more_than_a_share_of_the_places(quick: None) -> None:
    async def listen(service: Service) -> None:
        ours = [Client(service) for _ in range(3)]
        await ours[0].until(lambda: all("retry" in each.text for each in ours))
        more, ben = Client(service), Client(service, user=2)
        await more.task
        await ben.until(lambda: "retry" in ben.text)
        assert more.status == 503
        await ours.pop().leave()
        again = Client(service)
        await again.until(lambda: "retry" in again.text)
        await asyncio.gather(*[each.leave() for each in (*ours, again, ben)])

    with serving(feed={"listeners_each": 3}) as service:
        asyncio.run(listen(service))


def test_a_client_that_starts_at_the_first_event_delays_no_other(
    quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "MOST_READ", 2)
    monkeypatch.setattr(listeners, "MOST_BEHIND", 2)

    async def listen(service: Service) -> None:
        ben = Client(service, user=2)
        await ben.until(lambda: "retry" in ben.text)
        late = [Client(service, last="0") for _ in range(5)]
        await ben.until(lambda: all("retry" in each.text for each in late))
        await aside(votes, service, 3)
        await ben.until(lambda: '{"vote":3}' in ben.text)
        assert not any('{"vote":3}' in each.text for each in late)
        await ben.until(lambda: all('{"vote":3}' in each.text for each in late))
        for each in late:
            assert [line for line in each.text.split() if line.isdigit()][1:] == NUMBERED
        await asyncio.gather(*[each.leave() for each in (ben, *late)])

    with serving() as service:
        votes(service, *[1] * 60)
        asyncio.run(listen(service))


NUMBERED = [str(number) for number in range(1, 62)]


@pytest.mark.parametrize(
    "lost",
    [
        {"tokens": [{"user": 2, "token": "token-of-2-0123456789", "active": False}]},
        {"users": [{"id": 2, "active": False}]},
    ],
)
def test_a_revoked_user_hears_nothing_after_a_second(lost: dict[str, Any]) -> None:
    """With the usual heartbeat of 15 seconds."""

    async def listen(service: Service) -> None:
        ben = Client(service, user=2)
        await ben.until(lambda: "retry" in ben.text)
        await aside(service.load, lost)
        await asyncio.sleep(1.1)
        await aside(votes, service, 1)
        await ben.until(lambda: ben.ended)
        assert "vote" not in ben.text
        await ben.task

    with serving() as service:
        asyncio.run(listen(service))


def test_events_no_longer_kept_are_reported_as_missed(quick: None) -> None:
    async def listen(service: Service) -> None:
        again = Client(service, last="1")
        await again.until(lambda: "retry" in again.text)
        assert "event: missed\n" in again.text
        await again.leave()

    with serving() as service:
        votes(service, 1, 2, 3)
        service.later(hours=25)
        votes(service, 4)
        service.run_jobs()
        asyncio.run(listen(service))


def test_a_feed_needs_a_signed_in_user_and_an_existing_feed() -> None:
    with serving() as service:
        token = "Bearer token-of-1-0123456789"
        assert service.get("/-/events?feed=poll.votes").status_code == 403
        assert service.get("/-/events?feed=other", Authorization=token).status_code == 404


def test_a_client_that_leaves_as_an_event_arrives_is_removed() -> None:
    async def send(_message: Any) -> None:
        """Take what is sent."""

    async def listen(nobody: Any) -> None:
        listener = listeners.Listener(None, nobody, "poll.votes", 0)
        task = asyncio.ensure_future(listeners.Listeners(nobody)._send(listener, send))
        for _ in range(3):  # it waits
            await asyncio.sleep(0)
        listener.more.set()
        await asyncio.sleep(0)  # the event has arrived, and the waiting task does not know yet
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=30)
        task.cancel()
        assert done

    asyncio.run(listen(None))
