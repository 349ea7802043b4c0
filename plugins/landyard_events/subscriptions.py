"""Durable subscriptions: events delivered after their commit, at least once, in order."""

import inspect
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from sqlalchemy import Connection, Engine

from landyard import Event, Host, Subscriber, UnitOfWork
from landyard_events.queues import Claimed, Waiting

if TYPE_CHECKING:
    from sqlmodel import Session

    from landyard_events.outbox import Outbox

E = TypeVar("E", bound=Event)

OUTBOX = "landyard_outbox"
"""The execution option of a kernel's engine that holds its outbox."""


class NotDelivered(Exception):
    """Raised by a handler that cannot deliver an event now; it is tried again later.

    Any other exception has the same effect, but counts as a fault of the plugin. The text is for
    operators.
    """


class GiveUp(NotDelivered):
    """Raised by a handler if another try is useless; the event becomes a dead letter at once."""


class Delivery:
    """A handler's context: facts about the delivery, and a transaction of its own.

    `at` is the time when the event was published. `id` identifies the event in all tries and for
    all targets; a handler can store it to avoid doing work twice. `attempt` counts from 1. `topic`
    and `subject` are the event's; `target` is a target named by the subscriber, else "". `kernel`
    has the settings: `delivery.kernel.section(PollSettings)`.
    """

    __slots__ = ("_stack", "_unit", "at", "attempt", "host", "id", "subject", "target", "topic")

    def __init__(
        self, host: Host, queue: Claimed, event: Waiting, attempt: int, unit: UnitOfWork | None
    ) -> None:
        """Open no savepoint yet; without a `unit` the handler has no transaction."""
        self.kernel = kernel
        self.id = event.event_id
        self.topic = event.topic
        self.subject = queue.subject
        self.target = queue.target
        self.at = event.at
        self.attempt = attempt
        self._unit = unit
        self._stack: ExitStack | None = None

    @property
    def unit(self) -> UnitOfWork:
        """The transaction; its writes are committed together with the mark "delivered"."""
        if self._unit is None:
            raise RuntimeError(
                "the subscriber is made with transaction=False: write with `host.store.run`"
            )
        if self._stack is None:
            self._stack = ExitStack()
            self._stack.enter_context(self._unit.savepoint())
        return self._unit

    @property
    def connection(self) -> Connection:
        """The transaction's connection, for Core statements."""
        return self.unit.connection

    @property
    def session(self) -> "Session":
        """A session on the transaction, for the ORM."""
        return self.unit.session

    def on_commit(self, action: Callable[[], object]) -> None:
        """Call `action` after the delivery is committed."""
        self.unit.on_commit(action)

    def publish(self, event: Event) -> None:
        """Publish another event, in the transaction."""
        self.host.publish(self.unit, event)

    def now(self) -> datetime:
        """Return the current time by the service's clock, which tests can stop."""
        return self.kernel.now()

    def end(self, error: BaseException | None = None) -> None:
        """Keep the handler's writes, or roll only them back after an `error`; for the caller."""
        if self._stack is not None:
            exit_arguments = (type(error), error, None) if error else (None, None, None)
            self._stack.__exit__(*exit_arguments)


class Durable(Struct, frozen=True):
    """A subscriber whose `handler(delivery, event)` is called after the commit; see `after`."""

    name: str
    event: type[Event]
    handler: Callable[[Delivery, Any], object]
    transaction: bool
    seconds: float | None
    threads: int
    targets: Callable[[Any, Any], Iterable[str]] | None

    def __call__(self, unit: Any, event: Event) -> None:
        """Store an event for the handler, in the transaction of `unit`."""
        targets = ("",) if self.targets is None else tuple(self.targets(unit, event))
        if targets:
            outbox = outbox_of(unit.connection.engine)
            outbox.keep(unit, self, event, targets, subject=event.subject)


def after(
    event: type[E],
    name: str,
    handler: Callable[[Delivery, E], object],
    *,
    transaction: bool = True,
    seconds: float | None = None,
    threads: int = 1,
    targets: Callable[[Any, E], Iterable[str]] | None = None,
) -> Subscriber:
    """Return a subscriber that gets events after their commit, even if the process dies.

    `name`, such as `poll.count`, is unique in the service; waiting events are stored under it. The
    handler is called at least once for each event, in order within a subject. If it raises, the
    event is tried again later, and the subject waits. Its writes through the delivery are committed
    exactly once, together with the mark "delivered". With `transaction=False` it has no
    transaction, for work such as HTTP that waits for others. A try that takes longer than `seconds`
    has failed. Up to `threads` threads in each worker deliver at a time.

    `targets(unit, event)`, called in the event's transaction, returns the targets to deliver to;
    each has its own order, tries and dead letters. Without targets nothing is stored.
    """
    if inspect.iscoroutinefunction(handler) or not callable(handler):
        raise TypeError(f"subscriber '{name}': its handler must be a plain function")
    if not isinstance(event, type):
        raise TypeError(f"subscriber '{name}': {event!r} is no type of events")
    if not name:
        raise TypeError("a subscriber made with `after` needs a name")
    durable = Durable(name, event, handler, transaction, seconds, threads, targets)
    return Subscriber(event, durable, name)


def later(unit: Any, event: Event, *, delay: timedelta = timedelta()) -> None:
    """Schedule a one-off task after the commit of `unit`, and `delay` later.

    `unit` is the `Call`, the `UnitOfWork` of a job, or the `Delivery` of a handler, which may
    schedule its own task again. A task is an event for a subscriber of the same plugin, made with
    `after`. It waits for no other task, whatever its subject. Raises `LookupError` if it has no
    subscriber.
    """
    outbox = outbox_of(unit.connection.engine)
    matching = [each for each in outbox.subscribers.values() if each.event is type(event)]
    if not matching:
        raise LookupError(f"{type(event).__name__}: no subscriber made with `after` does this task")
    for each in matching:
        outbox.keep(unit, each, event, delay=delay)


def outbox_of(engine: Engine) -> "Outbox":
    """Return the outbox of a database; raises `LookupError` if the plugin `events` is off."""
    outbox = OUTBOXES.get(engine)
    if outbox is None:
        raise LookupError(
            "the plugin 'events' is not on: say `requires = (\"events\",)` where you use `after`"
        )
    return outbox
