"""The outbox of a kernel: stores events for subscribers, and delivers them in threads."""

import threading
import time
import uuid
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
import structlog

from landyard import Event, Host
from landyard_events.delivery import MARGIN, Delivering
from landyard_events.queues import Address, Waiting, add, due_subscribers, next_due
from landyard_events.settings import EventSettings
from landyard_events.subscriptions import OUTBOXES, Durable, outbox_of

log = structlog.get_logger()

LOOK = 2.0  # seconds between polls, at most, because other processes publish, too
SOON = 0.2  # seconds between polls, at least, unless something is published here
LAST = 5.0  # seconds that a closing kernel waits for running deliveries
MOST_HUNG = 3  # hanging threads of a subscriber, after which it gets no more in this process


class Outbox:
    """Stores events, and in a serving process delivers them in threads of each subscriber."""

    def __init__(self, host: Host) -> None:
        """Start no thread yet."""
        self._host = host
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._lanes: dict[str, list[_Lane]] = {}
        self._busy: dict[str, list[str]] = {}  # by subscriber: the targets on which lanes work
        OUTBOXES[host.store.engine] = self
        self.wake()  # in case the plugin was enabled while the service runs

    def serve(self) -> None:
        """Begin to deliver, first the events left by earlier processes."""
        self.wake()

    @property
    def plugins(self) -> dict[str, tuple[str, Durable]]:
        """The durable subscribers of active plugins by name, each with its plugin."""
        registered = self._host.registry.subscribers.values()
        return {
            hook.function.name: (hook.plugin, hook.function)
            for hooks in registered
            for hook in hooks
            if isinstance(hook.function, Durable)
        }

    @property
    def subscribers(self) -> dict[str, Durable]:
        """The durable subscribers of active plugins, by name."""
        return {name: subscriber for name, (_, subscriber) in self.plugins.items()}

    def keep(
        self,
        unit: Any,
        subscriber: Durable,
        event: Event,
        targets: Iterable[str] = ("",),
        *,
        subject: str = "",
        delay: timedelta = timedelta(),
    ) -> None:
        """Store an event in the transaction of `unit`; its delivery begins after the commit.

        Without a `subject` it waits for no other event.
        """
        now = self._host.now()
        event_id = f"evt_{uuid.uuid4().hex}"
        body = msgspec.json.encode(event).decode()
        waiting = Waiting(0, event_id, event.topic, body, now)
        for target in sorted(targets):  # in a fixed order, because other calls lock queues, too
            address = Address(subscriber.name, target, subject or event_id)
            add(unit.connection, address, waiting, now + delay)
        unit.on_commit(self.wake)

    def wake(self) -> None:
        """Poll for due queues now, in the outbox's thread; does nothing unless serving."""
        if not self._host.serving or self._closed.is_set():
            return
        with self._lock:
            if self._thread is None:
                # A daemon thread, because a hanging handler must not keep a stopped service alive.
                self._thread = threading.Thread(
                    target=self._work, name="landyard-events", daemon=True
                )
                self._thread.start()
        self._woken.set()

    def deliver(self, *, raise_failures: bool) -> int:
        """Deliver all due events in this thread; return their number."""
        count = 0
        errors: list[Exception] = []
        for plugin, subscriber in self.plugins.values():
            deliver = Delivering(self._host, plugin, subscriber)
            while (done := deliver()) is not None:
                count += done
            errors += [deliver.error] if deliver.error else []
        if errors and raise_failures:
            raise errors[0]
        return count

    def close(self) -> None:
        """Start no more deliveries, and wait up to `LAST` seconds for running ones."""
        self._closed.set()
        self._woken.set()
        self._host.store.engine.update_execution_options(**{OUTBOX: None})
        until = time.monotonic() + LAST
        threads = [each.thread for lanes in self._lanes.values() for each in lanes]
        for thread in [*threads, *([self._thread] if self._thread else [])]:
            thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        pause, failed = 0.0, ""
        while not self._closed.is_set():
            self._woken.wait(pause)
            self._woken.clear()
            try:
                pause = self._look()
                failed = ""
            except Exception as error:  # noqa: BLE001 - the database may come back
                pause = LOOK
                if failed != type(error).__name__:  # logged once, however long it lasts
                    failed = type(error).__name__
                    log.warning("events_wait", error=failed)

    def _look(self) -> float:
        """Start threads for due queues; return the seconds until the next poll."""
        plugins, now = self.plugins, self._host.now()
        if not plugins:
            return LOOK
        with self._host.store.unit(writes=False) as unit:
            due = due_subscribers(unit.connection, now)
            following = next_due(unit.connection, plugins)
        for name in due.keys() & plugins.keys():
            self._start(*plugins[name], due[name])
        if following is None:
            return LOOK
        return min(LOOK, max(SOON, (following - now).total_seconds()))

    def _start(self, plugin: str, subscriber: Durable, queues: int) -> None:
        """Start threads for a subscriber's due queues, up to its number of threads."""
        lanes = [each for each in self._lanes.get(subscriber.name, ()) if each.thread.is_alive()]
        hung = [each for each in lanes if each.overran()]
        busy = self._busy.setdefault(subscriber.name, [])
        # Queues in delivery are not counted as due, so slow threads do not count here.
        for _ in range(min(subscriber.threads - len(lanes) + len(hung), queues)):
            if len(hung) >= MOST_HUNG or self._closed.is_set():
                break
            lanes.append(_Lane(self._host, plugin, subscriber, self._closed, busy))
        self._lanes[subscriber.name] = lanes


class _Lane:
    """A thread that delivers for one subscriber until nothing is due."""

    def __init__(
        self,
        host: Host,
        plugin: str,
        subscriber: Durable,
        closed: threading.Event,
        busy: list[str],
    ) -> None:
        self._host = host
        self._plugin = plugin
        self._subscriber = subscriber
        self._closed = closed
        self._busy = busy
        self._began = time.monotonic()
        self._logged = False
        self.thread = threading.Thread(
            target=self._work, name=f"landyard-events-{subscriber.name}", daemon=True
        )
        self.thread.start()

    def overran(self) -> bool:
        """Tell whether its handler hangs, so that other threads may start."""
        limit = self._subscriber.seconds or self._host.section(EventSettings).seconds
        hangs = time.monotonic() - self._began > limit + MARGIN
        if hangs and not self._logged:
            self._logged = True
            log.error("subscriber_hangs", subscriber=self._subscriber.name, plugin=self._plugin)
        return hangs

    def _work(self) -> None:
        slot = self._host.scoreboard.take_slot()
        self._host.scoreboard.begin(slot, f"subscriber {self._subscriber.name}", "")
        try:
            deliver = Delivering(self._host, self._plugin, self._subscriber, self._busy)
            done: int | None = 0
            while done is not None and not self._closed.is_set():
                self._began = time.monotonic()
                done = deliver()
        except Exception as error:  # noqa: BLE001 - tried again at the next poll
            log.warning("events_wait", error=type(error).__name__)
        finally:
            self._host.scoreboard.give_back(slot)


def deliver_due(host: Host, *, raise_failures: bool = True) -> int:
    """Deliver all due events in this thread, for tests; return their number.

    An exception of a handler is raised after the other deliveries, so that a test fails; the event
    is still tried again later. `raise_failures=False` is for tests of such retries.
    """
    return outbox_of(host.store.engine).deliver(raise_failures=raise_failures)
