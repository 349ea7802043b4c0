"""The listeners of feeds in a worker, all served by one poll of the table."""

import asyncio
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
import structlog

from landyard import Actor, CallError, Credential, Host
from landyard_feed.feeds import feeds_of
from landyard_feed.tables import FEED_EVENT
from landyard_signin import credential_of, signed_in

log = structlog.get_logger()

POLL_SECONDS = 0.5  # seconds
HEARTBEAT = 15.0  # seconds without an event, after which a comment is sent
LONGEST_LOOK = 30.0  # seconds of one poll
MOST_READ = 500  # events per poll
MOST_BEHIND = 8  # listeners far behind, per poll
MOST_WAITING = 1000  # unsent events; a listener with more is dropped

_NEWEST = sa.select(sa.func.max(FEED_EVENT.c.id))
_EVENTS = sa.select(FEED_EVENT.c.id, FEED_EVENT.c.feed, FEED_EVENT.c.topic, FEED_EVENT.c.body)


class Listener:
    """A connection of a listener: the last id sent, `after`, and the messages waiting."""

    def __init__(self, request: Any, actor: Actor, feed: str, after: int) -> None:
        """Start after the event with the id `after`."""
        self.request = request
        self.actor = actor
        self.feed = feed
        self.after = after
        self.turn = 0  # the last turn in which it caught up, if it is far behind
        self.waiting: list[bytes] = []
        self.more = asyncio.Event()
        self.ended = False
        self.task: asyncio.Task[Any] | None = None


Heard = dict[Listener, tuple[int, list[bytes]]]
"""The next messages of listeners, each with the last id that was read."""


class Listeners:
    """The listeners of a worker. While there are any, a thread polls for all of them."""

    def __init__(self, host: Host) -> None:
        """Read from the database of `host`."""
        self._host = host
        self._all: set[Listener] = set()
        self._behind: list[Listener] = []
        self._turn = 0
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._all)

    def count_of(self, actor: Actor) -> int:
        """Return the number of a user's listeners."""
        return sum(each.actor.user_id == actor.user_id for each in list(self._all))

    async def serve(self, listener: Listener, receive: Any, send: Any) -> None:
        """Send events to a listener until it disconnects, is dropped, or the worker stops."""
        listener.task = asyncio.ensure_future(self._send(listener, send))
        disconnected = asyncio.ensure_future(_disconnected(receive))
        self._all.add(listener)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        try:
            await asyncio.wait([listener.task, disconnected], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._all.discard(listener)
            disconnected.cancel()
            listener.task.cancel()
            await asyncio.gather(disconnected, listener.task, return_exceptions=True)

    async def _send(self, listener: Listener, send: Any) -> None:
        while not listener.ended or listener.waiting:
            try:
                async with asyncio.timeout(HEARTBEAT):  # `wait_for` may miss a cancellation
                    await listener.more.wait()
            except TimeoutError:
                listener.waiting.append(b":\n\n")
            listener.more.clear()
            body, listener.waiting = b"".join(listener.waiting), []
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _look(self) -> None:
        while self._all:
            stopping = self._host.process.stopping
            for find in (self._heard, self._caught_up):
                await self._pass_on(find)
            for listener in self._all:
                listener.ended = listener.ended or stopping
                if listener.ended:
                    listener.more.set()
            await asyncio.sleep(POLL_SECONDS)

    async def _pass_on(self, find: Callable[[], Heard]) -> None:
        """Read the next events of listeners in a thread, and queue them for sending."""
        pool = self._host.process.pools.reading
        try:
            heard = await pool.run(lambda _: find(), label="feed", seconds=LONGEST_LOOK)
        except Exception as error:  # noqa: BLE001 - e.g. no database: listeners wait
            log.warning("feed_not_read", error=type(error).__name__)
            return
        for listener, (after, messages) in heard.items():
            listener.after = after
            listener.waiting += messages
            if len(listener.waiting) > MOST_WAITING and listener.task:
                log.info("listener_dropped", feed=listener.feed, user=listener.actor.user_id)
                listener.task.cancel()
            if listener.waiting:
                listener.more.set()

    def _listening(self) -> list[Listener]:
        """Return the listeners that may continue, and end the others; runs in a thread.

        A revoked credential is noticed at the next poll, before any event is sent.
        """
        feeds, actors = feeds_of(self._host), dict[Credential | None, Actor | None]()
        listeners = []
        for each in list(self._all):
            if each.ended:
                continue
            credential = credential_of(each.request, self._host)
            if credential not in actors:
                actors[credential] = self._actor(each)
            actor = actors[credential]
            if actor is None or each.feed not in feeds:
                each.ended = True
                continue
            each.actor = actor
            listeners.append(each)
        return listeners

    def _actor(self, listener: Listener) -> Actor | None:
        try:
            return signed_in(listener.request, self._host)
        except CallError:
            return None

    def _heard(self) -> Heard:
        """Read the next events of listeners that are nearly up to date; runs in a thread."""
        listeners = self._listening()
        if not listeners:
            return {}
        newest = self._host.store.run(
            lambda unit: unit.connection.execute(_NEWEST).scalar() or 0, writes=False
        )
        near = [each for each in listeners if each.after >= newest - MOST_READ]
        self._behind = [each for each in listeners if each.after < newest - MOST_READ]
        return self._read(near, min((each.after for each in near), default=newest))

    def _caught_up(self) -> Heard:
        """Read the next events of a few listeners that are far behind; runs in a thread.

        These listeners take turns, so that no other waits for them.
        """
        heard: Heard = {}
        behind = sorted(self._behind, key=lambda each: each.turn)[:MOST_BEHIND]
        for each in behind:
            self._turn += 1
            each.turn = self._turn
            heard |= self._read([each], each.after)
        return heard

    def _read(self, listeners: list[Listener], after: int) -> Heard:
        """Read the events after an id, and select those that each listener may hear."""
        if not listeners:
            return {}
        query = (
            _EVENTS.where(FEED_EVENT.c.id > after).order_by(FEED_EVENT.c.id).limit(MOST_READ + 1)
        )
        rows = self._host.store.run(lambda unit: unit.connection.execute(query).all(), writes=False)
        feeds, heard = feeds_of(self._host), Heard()
        for each in listeners:
            feed = feeds.get(each.feed)
            if feed is None:
                continue
            new = [row for row in rows if row.id > each.after and row.feed == each.feed]
            events = ((row, feed.read(row.topic, row.body)) for row in new)
            messages = [
                _message(row) for row, event in events if event and feed.may_hear(each.actor, event)
            ]
            heard[each] = (max([each.after, *(row.id for row in rows)]), messages)
        return heard


async def _disconnected(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _message(row: Any) -> bytes:
    return f"id: {row.id}\nevent: {row.topic}\ndata: {row.body}\n\n".encode()
