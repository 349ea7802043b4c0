"""Sends the tags that wait for edges, joined and within each vendor's limits."""

import threading
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from landyard import Event, Host, UnitOfWork
from landyard_edges import waiting
from landyard_edges.settings import Edge, EdgeSettings, edges_of
from landyard_edges.vendors import pause_of, send
from landyard_edges.waiting import AGAIN, Batch, Tag
from landyard_events import Delivery, later
from landyard_outgoing import Answer, Refused

log = structlog.get_logger()

OPTION = "landyard_edges"
"""The execution option of a kernel's engine that holds its `Edges`."""
_ENOUGH = 4.0  # seconds after which the rest is left to another task
_AWAY = 2.0  # seconds until an edge that cannot be reached is tried again
_REFUSES = 30.0  # seconds until an edge is tried again that refuses requests, such as the token
_LONGEST_WAIT = 300.0  # seconds that an edge may ask to wait
_TOLD = 60.0  # seconds between two lines in the log about an edge that fails
_TOO_MANY = 429


class PurgeDue(Event, frozen=True):
    """A task: send the tags that wait for an edge."""

    topic = "edges.purge"

    edge: str


class Edges:
    """The edges of a kernel: notes tags for them, and sends what waits."""

    def __init__(self, host: Host) -> None:
        """Start nothing yet."""
        self._host = host
        settings = host.section(EdgeSettings)
        self._seconds = settings.seconds
        self._edges = edges_of(settings)
        self._locks = {name: threading.Lock() for name in self._edges}
        self._told: dict[str, float] = {}  # by edge that fails: when the log was told
        self._noted = threading.local()
        host.store.engine.update_execution_options(**{OPTION: self})

    def serve(self) -> None:
        """Send what processes before this one have left."""
        # Loaded now: the first purge must not wait for it.
        import landyard_outgoing.sending  # noqa: F401

        self.purge_all()

    def close(self) -> None:
        """Note nothing more."""
        self._host.store.engine.update_execution_options(**{OPTION: None})

    @property
    def names(self) -> Sequence[str]:
        """The names of the edges."""
        return list(self._edges)

    def note(self, unit: UnitOfWork, tags: Sequence[Tag]) -> None:
        """Note, in the transaction of `unit`, that all edges have to forget tags after it."""
        if not self._edges:
            return
        noted = self._noted_in(unit)
        new = noted.new(tags)
        if not new:
            return
        waiting.add(unit.connection, self._edges, new, self._host.now())
        if not noted.is_planned:
            noted.is_planned = True
            for name in self._edges:
                later(unit, PurgeDue(name))
                # Another process does this one if the first is killed meanwhile.
                later(unit, PurgeDue(name), delay=AGAIN)

    def _noted_in(self, unit: UnitOfWork) -> "_Noted":
        noted: _Noted | None = getattr(self._noted, "last", None)
        if noted is None or noted.unit is not unit:
            noted = self._noted.last = _Noted(unit)
        return noted

    def purge_all(self) -> None:
        """Send what waits for each edge."""
        for name in self._edges:
            self.purge(name)

    def sweep(self) -> None:
        """Remove what waits for edges that the settings no longer name."""
        names, now = list(self._edges), self._host.now()
        self._host.store.run(lambda unit: waiting.sweep(unit.connection, names, now), writes=True)

    def purge(self, name: str) -> None:
        """Send the tags that are due for an edge, and plan a task for those that are not yet."""
        lock = self._locks.get(name)
        if lock is None:  # the settings have lost it since
            return
        began = time.monotonic()
        while (at := self._next_request(name)) is not None:
            if at > self._host.now() or time.monotonic() - began > _ENOUGH:
                self._host.store.run(lambda unit: self._plan(unit, name), writes=True)
                return
            if not lock.acquire(blocking=False):
                return  # another thread sends, and looks again at the end
            try:
                self._send(name)
            finally:
                lock.release()

    def _next_request(self, name: str) -> datetime | None:
        with self._host.store.unit(writes=False) as unit:
            return waiting.next_request(unit.connection, name)

    def _plan(self, unit: UnitOfWork, name: str) -> None:
        now = self._host.now()
        at = waiting.next_request(unit.connection, name)
        if at is not None and waiting.plan(unit.connection, name, max(at, now), now):
            later(unit, PurgeDue(name), delay=max(at - now, timedelta()))

    def _send(self, name: str) -> None:
        """Send one request to an edge, if one is due, and store the outcome."""
        edge, store = self._edges[name], self._host.store
        pause = timedelta(seconds=pause_of(edge))
        batch = store.run(
            lambda unit: waiting.claim(unit.connection, name, edge.tags, self._host.now(), pause),
            writes=True,
        )
        if batch is None:
            return
        failure = _failure(edge, batch, self._seconds)
        if failure is None:
            failed = store.run(
                lambda unit: waiting.succeed(unit.connection, name, batch, self._host.now()),
                writes=True,
            )
            self._told.pop(name, None)
            if failed:
                log.info("edge_is_back", edge=name)
            return
        reason, seconds = failure
        wait = max(pause, timedelta(seconds=seconds))
        store.run(
            lambda unit: waiting.fail(unit.connection, name, reason, self._host.now(), wait),
            writes=True,
        )
        if time.monotonic() - self._told.get(name, -_TOLD) >= _TOLD:
            self._told[name] = time.monotonic()
            log.warning("edge_not_purged", edge=name, reason=reason)


class _Noted:
    """The tags that were noted in one transaction."""

    def __init__(self, unit: UnitOfWork) -> None:
        self.unit: UnitOfWork | None = unit
        self.is_planned = False
        self._pages: dict[int, set[str]] = {}  # by site, 0 for tags of other things

    def new(self, tags: Sequence[Tag]) -> list[Tag]:
        """Return the tags that are not noted yet; many pages of a site become the site's tag."""
        new: list[Tag] = []
        for tag in map(self._joined, tags):
            noted = self._pages.setdefault(tag.site_id, set())
            if tag.name not in noted:
                noted.add(tag.name)
                new.append(tag)
        if new and self.unit is not None:
            # A savepoint that is rolled back takes its rows along: then all are noted anew.
            self.unit.on_rollback(self.forget)
        return new

    def forget(self) -> None:
        self.unit = None

    def _joined(self, tag: Tag) -> Tag:
        is_page = tag.site_id and len(self._pages.get(tag.site_id, ())) >= waiting.MOST_PAGES
        return waiting.whole_site(tag.site_id) if is_page else tag


def _failure(edge: Edge, batch: Batch, seconds: float) -> tuple[str, float] | None:
    """Send a batch; return the reason of a failure, and the seconds until the next try."""
    try:
        answer = send(edge, batch.tags, seconds)
    except Refused as refused:
        return str(refused.reason), _AWAY
    if 200 <= answer.status < 300:
        return None
    return f"it answered {answer.status}", _pause_after(answer)


def _pause_after(answer: Answer) -> float:
    if answer.status >= 500:
        return _AWAY
    asked = answer.headers.get("retry-after", "")
    if answer.status == _TOO_MANY and asked.isdecimal():
        return min(float(asked), _LONGEST_WAIT)
    return _REFUSES


def purge(delivery: Delivery, task: PurgeDue) -> None:
    """Send what waits for the edge of a task."""
    delivery.host.plugins.kept(Edges).purge(task.edge)


def purge_all(host: Host) -> None:
    """Send what waits, as a job: for tasks that a killed process holds."""
    host.plugins.kept(Edges).purge_all()


def sweep(host: Host) -> None:
    """Remove what waits for edges that the settings no longer name, as a job."""
    host.plugins.kept(Edges).sweep()
