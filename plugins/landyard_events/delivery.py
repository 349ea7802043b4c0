"""Passes a subscriber's claimed events to its handler, and stores the outcome."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from msgspec import ValidationError, json
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from landyard import CallError, Event, Host, UnitOfWork
from landyard_events.queues import (
    TOGETHER,
    Claim,
    Claimed,
    ClaimLost,
    Failed,
    Waiting,
    claim,
    finish,
)
from landyard_events.settings import EventSettings
from landyard_events.subscriptions import Delivery, Durable, GiveUp, NotDelivered
from landyard_events.topics import event_types

log = structlog.get_logger()
_RANDOM = random.SystemRandom()  # the shared one may be seeded by others, as tests do

MARGIN = 15.0  # seconds of a claim beyond the time limit, for waiting on the database's writer lock
ENOUGH = 0.05  # seconds after which finished deliveries are stored
_LONGEST = 6 * 3600.0  # seconds between two tries
_ERROR = 500  # characters of an error that are stored


class Delivering:
    """Claims queues of a subscriber, and calls its handler for the events in them.

    It claims only as many as it finishes soon, because claimed queues are closed to other threads.
    """

    def __init__(
        self, host: Host, plugin: str, subscriber: Durable, busy: list[str] | None = None
    ) -> None:
        """Deliver for a subscriber of `plugin`; other threads work on the targets in `busy`."""
        self._busy = [] if busy is None else busy
        self._host = host
        self._plugin = plugin
        self._subscriber = subscriber
        self._settings = host.section(EventSettings)
        self._seconds = subscriber.seconds or self._settings.seconds
        self._types = event_types(subscriber.event)
        self._together = 1  # queues
        self._delivered: list[int] = []
        self._failed: dict[int, Failed] = {}
        self._current: tuple[Claimed, Waiting, int] | None = None
        self.error: Exception | None = None  # the first error of a failed try

    def __call__(self) -> int | None:
        """Claim, deliver and store the outcome; return the number delivered, or None."""
        name, store = self._subscriber.name, self._host.store
        limit = self._seconds + MARGIN
        claimed = store.run(
            lambda unit: claim(
                unit.connection, name, self._host.now(), limit, self._together, busy=self._busy
            ),
            writes=True,
        )
        if claimed is None:
            return None
        with self._occupied(claimed.queues[0].target):
            return self._delivered_of(claimed, limit)

    @contextmanager
    def _occupied(self, target: str) -> Iterator[None]:
        """Mark a target as busy for other threads, unless it is ""."""
        targets = [target] if target else []
        self._busy += targets
        try:
            yield
        finally:
            for each in targets:
                self._busy.remove(each)

    def _delivered_of(self, claimed: Claim, limit: float) -> int:
        name = self._subscriber.name
        try:
            self._deliver(claimed)
        except ClaimLost as error:
            log.warning("delivery_overran", subscriber=name, plugin=self._plugin)
            self._host.plugins.note_failure(self._plugin, f"subscriber {name}", limit, error)
            self.error = self.error or error
            return 0
        except Exception as error:
            self._give_back(claimed, error)
            if _is_host_fault(error):
                raise
            return 0
        return len(self._delivered)

    def _deliver(self, claimed: Claim) -> None:
        def whole(unit: UnitOfWork) -> None:
            if self._subscriber.transaction:
                self._hand_over(claimed, unit)
            finish(unit.connection, claimed, self._delivered, self._failed, self._host.now())

        if not self._subscriber.transaction:
            self._hand_over(claimed, None)
        self._host.store.run(whole, writes=True, label=f"subscriber {self._subscriber.name}")

    def _give_back(self, claimed: Claim, error: Exception) -> None:
        """End a claim whose transaction failed: because of one event, or of the database."""
        failed: dict[int, Failed] = {}
        first = [(queue, queue.events[0], queue.tries) for queue in claimed.queues if queue.events]
        if not _is_host_fault(error):
            if (blamed := self._current or (first[0] if len(first) == 1 else None)) is not None:
                queue, event, tries = blamed
                failed[queue.id] = self._failure(event, tries, error)
            else:  # which one is to blame shows when each is tried alone
                now = self._host.now()
                failed = {each.id: Failed(event, tries, "", now) for each, event, tries in first}
        self._host.store.run(
            lambda unit: finish(unit.connection, claimed, (), failed, self._host.now()),
            writes=True,
        )

    def _hand_over(self, claimed: Claim, unit: UnitOfWork | None) -> None:
        """Call the handler for one event after the other, until `ENOUGH` time has passed."""
        began = time.monotonic()
        self._delivered, self._failed = [], {}
        together, self._together = self._together, 1
        for queue in claimed.queues:
            for at, event in enumerate(queue.events):
                tries = 1 if at else queue.tries
                if time.monotonic() - began > ENOUGH:
                    return
                self._current = queue, event, tries
                error = self._call(queue, event, tries, unit)
                self._current = None
                if error is not None:
                    self._failed[queue.id] = self._failure(event, tries, error)
                    break
                self._delivered.append(event.id)
        if time.monotonic() - began < ENOUGH:
            self._together = min(2 * together, TOGETHER)

    def _call(
        self, queue: Claimed, event: Waiting, tries: int, unit: UnitOfWork | None
    ) -> Exception | None:
        """Call the handler and return its exception; raises one caused by the database."""
        if tries > self._settings.tries:
            return GiveUp(f"each try ended with its process, or took more than {self._seconds:g} s")
        delivery = Delivery(self._host, queue, event, tries, unit)
        began = time.monotonic()
        try:
            read_event = self._read(event)
            self._subscriber.handler(delivery, read_event)
            if time.monotonic() - began > self._seconds:
                raise NotDelivered(f"it took more than {self._seconds:g} s")  # noqa: TRY301 - handled like any other failure
            delivery.end()
        except BaseException as error:
            delivery.end(error)
            if _is_host_fault(error):
                raise
            return error if isinstance(error, Exception) else NotDelivered(repr(error))
        return None

    def _read(self, event: Waiting) -> Event:
        kind = self._types.get(event.topic)
        if kind is None:
            raise NotDelivered(f"no active plugin has events '{event.topic}'")
        try:
            return json.decode(event.body, type=kind)
        except ValidationError as error:
            raise NotDelivered(f"the stored event does not fit {kind.__name__}: {error}") from error

    def _failure(self, event: Waiting, tries: int, error: Exception) -> Failed:
        """Return whether a failed event is tried again or given up, and log it."""
        self.error = self.error or error
        given_up = isinstance(error, GiveUp) or tries >= self._settings.tries
        reason = (
            str(error) if isinstance(error, NotDelivered) else f"{type(error).__name__}: {error}"
        )
        context = {"subscriber": self._subscriber.name, "plugin": self._plugin}
        context |= {"id": event.event_id, "topic": event.topic, "reason": reason[:_ERROR]}
        unexpected = None if isinstance(error, NotDelivered) else error
        say = log.error if given_up else log.warning
        say(
            "event_given_up" if given_up else "delivery_failed",
            **context,
            attempt=tries,
            exc_info=unexpected,
        )
        if unexpected is not None:
            where = f"subscriber {self._subscriber.name}"
            self._host.plugins.note_failure(self._plugin, where, 0.0, unexpected)
        pause = longest_pause(tries, self._settings) * _RANDOM.uniform(2 / 3, 1)
        due = self._host.now() + timedelta(seconds=pause)
        return Failed(event, tries, reason[:_ERROR], None if given_up else due)


def longest_pause(tries: int, settings: EventSettings) -> float:
    """Return the longest pause until the next try, in seconds."""
    return min(settings.pause * 4.0 ** (tries - 1), _LONGEST) * 1.2


def _is_host_fault(error: BaseException) -> bool:
    """Tell whether an error comes from the database and not from the handler."""
    unable = isinstance(error, CallError) and error.system
    return unable or isinstance(error, OperationalError | PoolTimeout)
