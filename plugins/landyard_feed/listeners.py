"""Listeners: who hears a feed now, without a thread for each, fed from one look at the table."""

import asyncio
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
import structlog

from landyard import Actor, CallError, Credential, Host
from landyard_feed.feeds import feeds_of
from landyard_feed.tables import TOLD
from landyard_signin import credential_of, signed_in

log = structlog.get_logger()

LOOKED_EVERY = 0.5  # seconds
LONGEST_LOOK = 30.0  # seconds
HEARTBEAT = 15.0  # seconds without an event, after which a comment is sent
MOST_READ = 500  # events at one look
MOST_BEHIND = 8  # listeners far behind, at one look
MOST_WAITING = 1000  # events that are not taken; who is slower is dropped

_NEWEST = sa.select(sa.func.max(TOLD.c.id))
_EVENTS = sa.select(TOLD.c.id, TOLD.c.feed, TOLD.c.topic, TOLD.c.body)


class Listener:
    """One connection: what it has heard, up to the id `after`, and what waits to be sent."""

    def __init__(self, request: Any, actor: Actor, feed: str, after: int) -> None:
        """Begin behind the event `after`."""
        self.request = request
        self.actor = actor
        self.feed = feed
        self.after = after
        self.turn = 0  # when it was last caught up, of those far behind
        self.waiting: list[bytes] = []
        self.more = asyncio.Event()
        self.ended = False
        self.task: asyncio.Task[Any] | None = None


Heard = dict[Listener, tuple[int, list[bytes]]]
"""The next events of listeners, each with the id of the last one that was looked at."""


class Listeners:
    """The listeners of a worker. A thread looks for all of them at once, while there are any."""

    def __init__(self, host: Host) -> None:
        """Look into the database of `host`."""
        self._host = host
        self._all: set[Listener] = set()
        self._behind: list[Listener] = []
        self._turn = 0
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._all)

    def count_of(self, actor: Actor) -> int:
        """Count the listeners of one user."""
        return sum(each.actor.user_id == actor.user_id for each in list(self._all))

    async def serve(self, listener: Listener, receive: Any, send: Any) -> None:
        """Send what the listener hears, until it goes, is dropped, or the worker stops."""
        listener.task = asyncio.ensure_future(self._send(listener, send))
        gone = asyncio.ensure_future(_gone(receive))
        self._all.add(listener)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        try:
            await asyncio.wait([listener.task, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._all.discard(listener)
            gone.cancel()
            listener.task.cancel()
            await asyncio.gather(gone, listener.task, return_exceptions=True)

    async def _send(self, listener: Listener, send: Any) -> None:
        while not listener.ended or listener.waiting:
            try:
                async with asyncio.timeout(HEARTBEAT):  # `wait_for` may miss that it is cancelled
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
            await asyncio.sleep(LOOKED_EVERY)

    async def _pass_on(self, find: Callable[[], Heard]) -> None:
        """Find what listeners hear next, in a thread, and have it sent."""
        pool = self._host.process.pools.reading
        try:
            found = await pool.run(lambda _: find(), label="feed", seconds=LONGEST_LOOK)
        except Exception as error:  # noqa: BLE001 - the database is away: they wait
            log.warning("feed_not_read", error=type(error).__name__)
            return
        for listener, (after, told) in found.items():
            listener.after = after
            listener.waiting += told
            if len(listener.waiting) > MOST_WAITING and listener.task:
                log.info("listener_dropped", feed=listener.feed, user=listener.actor.user_id)
                listener.task.cancel()
            if listener.waiting:
                listener.more.set()

    def _listening(self) -> list[Listener]:
        """Find the listeners who may go on, and end the others; this is in a thread.

        A credential that was revoked is noticed at the next look: no event is told to it.
        """
        feeds, known = feeds_of(self._host), dict[Credential | None, Actor | None]()
        found = []
        for each in list(self._all):
            if each.ended:
                continue
            credential = credential_of(each.request, self._host)
            if credential not in known:
                known[credential] = self._actor(each)
            actor = known[credential]
            if actor is None or each.feed not in feeds:
                each.ended = True
                continue
            each.actor = actor
            found.append(each)
        return found

    def _actor(self, listener: Listener) -> Actor | None:
        try:
            return signed_in(listener.request, self._host)
        except CallError:
            return None

    def _heard(self) -> Heard:
        """Read on for the listeners that have heard nearly all; this is in a thread."""
        listeners = self._listening()
        if not listeners:
            return {}
        newest = self._host.store.run(
            lambda unit: unit.connection.execute(_NEWEST).scalar() or 0, writes=False
        )
        near = [each for each in listeners if each.after >= newest - MOST_READ]
        self._behind = [each for each in listeners if each.after < newest - MOST_READ]
        return self._told(near, min((each.after for each in near), default=newest))

    def _caught_up(self) -> Heard:
        """Read on for a few listeners that are far behind; this is in a thread.

        They take turns, and nobody else waits for them.
        """
        found: Heard = {}
        behind = sorted(self._behind, key=lambda each: each.turn)[:MOST_BEHIND]
        for each in behind:
            self._turn += 1
            each.turn = self._turn
            found |= self._told([each], each.after)
        return found

    def _told(self, listeners: list[Listener], after: int) -> Heard:
        """Read the events behind `after`, and find which of them each listener hears."""
        if not listeners:
            return {}
        query = _EVENTS.where(TOLD.c.id > after).order_by(TOLD.c.id).limit(MOST_READ + 1)
        rows = self._host.store.run(lambda unit: unit.connection.execute(query).all(), writes=False)
        feeds, found = feeds_of(self._host), Heard()
        for each in listeners:
            feed = feeds.get(each.feed)
            if feed is None:
                continue
            new = [row for row in rows if row.id > each.after and row.feed == each.feed]
            events = ((row, feed.read(row.topic, row.body)) for row in new)
            told = [
                _written(row) for row, event in events if event and feed.may_hear(each.actor, event)
            ]
            found[each] = (max([each.after, *(row.id for row in rows)]), told)
        return found


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _written(row: Any) -> bytes:
    return f"id: {row.id}\nevent: {row.topic}\ndata: {row.body}\n\n".encode()
