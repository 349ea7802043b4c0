"""The outbox of a kernel: keeps events for their subscribers, and delivers them in its threads."""

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
from landyard_events.subscriptions import LOOK, OUTBOX, Durable, outbox_of

log = structlog.get_logger()

SOON = 0.2  # seconds between two, at least, unless something is published here
LAST = 5.0  # seconds that a kernel which closes waits for deliveries under way
MOST_HUNG = 3  # threads of a subscriber that hang, then this process has no more for it


class Outbox:
    """Keeps events, and in a serving process delivers them: each subscriber has its own threads."""

    def __init__(self, host: Host) -> None:
        """Start no thread yet."""
        self._host = host
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._lanes: dict[str, list[_Lane]] = {}
        self._busy: dict[str, list[str]] = {}  # by subscriber: the targets that lanes are at
        host.store.engine.update_execution_options(**{OUTBOX: self})
        self.wake()  # the plugin may be enabled while the service runs

    def serve(self) -> None:
        """Begin to deliver: first of all what processes before this one have left."""
        self.wake()

    @property
    def plugins(self) -> dict[str, tuple[str, Durable]]:
        """The durable subscribers of the plugins that are on, each with its plugin, by name."""
        found = self._host.plugins.subscribers.values()
        return {
            hook.function.name: (hook.plugin, hook.function)
            for hooks in found
            for hook in hooks
            if isinstance(hook.function, Durable)
        }

    @property
    def subscribers(self) -> dict[str, Durable]:
        """The durable subscribers of the plugins that are on, by name."""
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
        """Keep an event in the transaction of `unit`; its delivery begins after the commit.

        Without a `subject` it waits for no other.
        """
        now = self._host.now()
        event_id = f"evt_{uuid.uuid4().hex}"
        body = msgspec.json.encode(event).decode()
        kept = Waiting(0, event_id, event.topic, body, now)
        for target in sorted(targets):  # in one order, for others lock queues as well
            address = Address(subscriber.name, target, subject or event_id)
            add(unit.connection, address, kept, now + delay)
        unit.on_commit(self.wake)

    def wake(self) -> None:
        """Look for what is due, in another thread; where nothing is served, do nothing."""
        if not self._host.process.serving or self._closed.is_set():
            return
        with self._lock:
            if self._thread is None:
                # A daemon: a handler that hangs must not keep a stopped service alive.
                self._thread = threading.Thread(
                    target=self._work, name="landyard-events", daemon=True
                )
                self._thread.start()
        self._woken.set()

    def deliver(self, *, raise_failures: bool) -> int:
        """Deliver all that is due, in this thread; return how many events were delivered."""
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
        """Begin nothing more, and wait a little for what is under way."""
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
            except Exception as error:  # noqa: BLE001 - the database comes back
                pause = LOOK
                if failed != type(error).__name__:  # said once, however long it goes on
                    failed = type(error).__name__
                    log.warning("events_wait", error=failed)

    def _look(self) -> float:
        """Start threads for what is due; return in how many seconds to look again."""
        plugins, now = self.plugins, self._host.now()
        if not plugins:
            return LOOK
        with self._host.store.unit(writes=False) as unit:
            due = due_subscribers(unit.connection, now)
            following = next_due(unit.connection, plugins)
        for name in due.keys() & plugins.keys():
            self._start(*plugins[name], due[name])
        # Other processes publish as well.
        look = min(LOOK, *(subscriber.look for _, subscriber in plugins.values()))
        if following is None:
            return look
        return min(look, max(SOON, (following - now).total_seconds()))

    def _start(self, plugin: str, subscriber: Durable, queues: int) -> None:
        """Have a subscriber's queues delivered by as many threads as it has, and are of use."""
        lanes = [each for each in self._lanes.get(subscriber.name, ()) if each.thread.is_alive()]
        hung = [each for each in lanes if each.overran()]
        busy = self._busy.setdefault(subscriber.name, [])
        # Queues under delivery are not counted as due, so a slow thread does not count for these.
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
        self._told = False
        self.thread = threading.Thread(
            target=self._work, name=f"landyard-events-{subscriber.name}", daemon=True
        )
        self.thread.start()

    def overran(self) -> bool:
        """Tell whether its handler hangs: then others do not wait for it."""
        limit = self._subscriber.seconds or self._host.section(EventSettings).seconds
        hangs = time.monotonic() - self._began > limit + MARGIN
        if hangs and not self._told:
            self._told = True
            log.error("subscriber_hangs", subscriber=self._subscriber.name, plugin=self._plugin)
        return hangs

    def _work(self) -> None:
        with self._host.process.showing(f"subscriber {self._subscriber.name}"):
            try:
                deliver = Delivering(self._host, self._plugin, self._subscriber, self._busy)
                done: int | None = 0
                while done is not None and not self._closed.is_set():
                    self._began = time.monotonic()
                    done = deliver()
            except Exception as error:  # noqa: BLE001 - it is due again in a moment
                log.warning("events_wait", error=type(error).__name__)


def deliver_due(host: Host, *, raise_failures: bool = True) -> int:
    """Deliver all due events in this thread, for tests; return the number of delivered events.

    If a handler raises, the other events are delivered first, then its exception is raised, so that
    the test fails. The event is tried again later all the same. Tests of these tries pass
    `raise_failures=False`.
    """
    return outbox_of(host.store.engine).deliver(raise_failures=raise_failures)
