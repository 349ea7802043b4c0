"""Listeners: who hears a feed now, without a thread for each, fed from one look at the table."""

import asyncio
import time
from typing import Any

import sqlalchemy as sa
import structlog

from landyard import Actor, CallError, Kernel
from landyard_feed.feeds import feeds_of
from landyard_feed.tables import TOLD
from landyard_signin import signed_in

log = structlog.get_logger()

LOOKED_EVERY = 0.5  # seconds
HEARTBEAT = 15.0  # seconds without an event, after which a comment is sent
MOST_READ = 500  # events at one look
MOST_WAITING = 1000  # events that are not taken; who is slower is dropped


class Listener:
    """One connection: what it has heard, up to the id `after`, and what waits to be sent."""

    def __init__(self, request: Any, actor: Actor, feed: str, after: int) -> None:
        """Begin behind the event `after`."""
        self.request = request
        self.actor = actor
        self.feed = feed
        self.after = after
        self.checked_at = time.monotonic()
        self.waiting: list[bytes] = []
        self.more = asyncio.Event()
        self.ended = False
        self.task: asyncio.Task[Any] | None = None


class Listeners:
    """The listeners of a worker. A thread looks for all of them at once, while there are any."""

    def __init__(self, kernel: Kernel) -> None:
        """Look into the database of `kernel`."""
        self._kernel = kernel
        self._all: set[Listener] = set()
        self._looking: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._all)

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
            stopping = self._kernel.stopping
            try:
                pool, seconds = self._kernel.pools.reading, self._kernel.rules.seconds
                found = await pool.run(lambda _: self._heard(), label="feed", seconds=seconds)
            except Exception as error:  # noqa: BLE001 - the database is away: they wait
                log.warning("feed_not_read", error=type(error).__name__)
                found = {}
            for listener, (after, told) in found.items():
                listener.after = after
                listener.waiting += told
                if len(listener.waiting) > MOST_WAITING and listener.task:
                    log.info("listener_dropped", feed=listener.feed, user=listener.actor.user_id)
                    listener.task.cancel()
            for listener in self._all:
                listener.ended = listener.ended or stopping
                if listener.waiting or listener.ended:
                    listener.more.set()
            await asyncio.sleep(LOOKED_EVERY)

    def _heard(self) -> dict[Listener, tuple[int, list[bytes]]]:
        """Find what each listener is to hear next; this is in a thread."""
        listeners, feeds = (
            [each for each in list(self._all) if not each.ended],
            feeds_of(self._kernel),
        )
        if not listeners:
            return {}
        behind = TOLD.c.id > min(each.after for each in listeners)
        query = sa.select(TOLD.c.id, TOLD.c.feed, TOLD.c.topic, TOLD.c.body).where(behind)
        rows = self._kernel.store.run(
            lambda unit: unit.connection.execute(query.order_by(TOLD.c.id).limit(MOST_READ)).all(),
            writes=False,
        )
        found = {}
        for each in listeners:
            feed = feeds.get(each.feed)
            if feed is None or not self._still(each):
                each.ended = True
                continue
            new = [row for row in rows if row.id > each.after and row.feed == each.feed]
            events = ((row, feed.read(row.topic, row.body)) for row in new)
            told = [
                _written(row) for row, event in events if event and feed.may_hear(each.actor, event)
            ]
            found[each] = (max([each.after, *(row.id for row in rows)]), told)
        return found

    def _still(self, listener: Listener) -> bool:
        """Tell whether the credential is still good; it is looked up again now and then."""
        if time.monotonic() - listener.checked_at < HEARTBEAT:
            return True
        listener.checked_at = time.monotonic()
        try:
            actor = signed_in(listener.request, self._kernel)
        except CallError:
            return False
        listener.actor = actor or listener.actor
        return actor is not None


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _written(row: Any) -> bytes:
    return f"id: {row.id}\nevent: {row.topic}\ndata: {row.body}\n\n".encode()
