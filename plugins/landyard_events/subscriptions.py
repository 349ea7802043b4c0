"""Subscriptions to events after their commit: durable, at least once, in order for each subject."""

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
LOOK = 2.0
"""The seconds after which a process looks, at most, for events that other processes publish."""


class NotDelivered(Exception):
    """Raised by a handler whose event cannot be delivered now: it is tried again later.

    Any other exception does the same, and counts as a fault of the plugin. The text is for
    operators.
    """


class GiveUp(NotDelivered):
    """Raised by a handler where another try would not help: the event is a dead letter at once."""


class Delivery:
    """The second argument of a handler: a transaction for its writes, and facts about the delivery.

    `at` is the time of publication, not of delivery. `id` names the event and the target, and is
    the same at each try: a handler that must not do a thing twice stores it. `attempt` counts from
    1. `topic` and `subject` are the event's. `target` is one of the subscriber's targets, else "".
    `host` has the settings: `delivery.host.section(PollSettings)`.
    """

    __slots__ = ("_stack", "_unit", "at", "attempt", "host", "id", "subject", "target", "topic")

    def __init__(
        self, host: Host, queue: Claimed, event: Waiting, attempt: int, unit: UnitOfWork | None
    ) -> None:
        """Open nothing yet; without a `unit` the handler has no transaction."""
        self.host = host
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
        """The transaction: what is written in it is kept together with the mark "delivered"."""
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
        """Do `action` once the delivery is committed."""
        self.unit.on_commit(action)

    def publish(self, event: Event) -> None:
        """Publish another event, in the transaction."""
        self.host.publish(self.unit, event)

    def now(self) -> datetime:
        """Return the moment it is, of this try; in a test, of the service's clock."""
        return self.host.now()

    def end(self, error: BaseException | None = None) -> None:
        """Keep what was written, or with an `error` undo it alone: for who calls the handler."""
        if self._stack is not None:
            told = (type(error), error, None) if error else (None, None, None)
            self._stack.__exit__(*told)


class Durable(Struct, frozen=True):
    """A subscriber whose `handler(delivery, event)` is called after the commit; see `after`."""

    name: str
    event: type[Event]
    handler: Callable[[Delivery, Any], object]
    transaction: bool
    seconds: float | None
    threads: int
    targets: Callable[[Any, Any], Iterable[str]] | None
    look: float

    def __call__(self, unit: Any, event: Event) -> None:
        """Keep an event for the handler, in the transaction of `unit`."""
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
    look: float = LOOK,
) -> Subscriber:
    """Make a subscriber that hears of events after their commit, even if the process dies.

    `name`, such as `poll.count`, is unique in the service; waiting events are stored under it. The
    handler is called at least once for each event, in order for each subject. If it raises, the
    event is tried again later, and later events of the subject wait. Its writes through the
    delivery are committed exactly once, together with the mark "delivered". With
    `transaction=False` it has no transaction: for work that waits for others, such as HTTP. A try
    that takes longer than `seconds` has failed. At most `threads` threads of each worker deliver at
    a time.

    `targets(unit, event)` is called in the transaction of the event, and names the targets of its
    delivery. Each has an order, tries and dead letters of its own. Without targets nothing is
    stored.

    The publishing process delivers at once. If it is killed before, another one finds the event
    within `look` seconds.
    """
    if inspect.iscoroutinefunction(handler) or not callable(handler):
        raise TypeError(f"subscriber '{name}': its handler must be a plain function")
    if not isinstance(event, type):
        raise TypeError(f"subscriber '{name}': {event!r} is no type of events")
    if not name:
        raise TypeError("a subscriber that hears of events after their commit needs a name")
    durable = Durable(name, event, handler, transaction, seconds, threads, targets, look)
    return Subscriber(event, durable, name)


def later(unit: Any, event: Event, *, delay: timedelta = timedelta()) -> None:
    """Have a one-off task done after the commit of `unit`, and `delay` later.

    `unit` is the `Call`, the `UnitOfWork` of a job, or the `Delivery` of a handler, which may
    schedule its own task again. A task is an event with one subscriber, made with `after` by the
    same plugin. An event of `later` waits for no other event, whatever its subject. Raises
    `LookupError` if the event has no such subscriber.
    """
    outbox = outbox_of(unit.connection.engine)
    found = [each for each in outbox.subscribers.values() if each.event is type(event)]
    if not found:
        raise LookupError(f"{type(event).__name__}: no subscriber made with `after` does this task")
    for each in found:
        outbox.keep(unit, each, event, delay=delay)


def outbox_of(engine: Engine) -> "Outbox":
    """Return the outbox of a database; raises `LookupError` where the plugin `events` is off."""
    found: Outbox | None = engine.get_execution_options().get(OUTBOX)
    if found is None:
        raise LookupError(
            "the plugin 'events' is not on: say `requires = (\"events\",)` where you use `after`"
        )
    return found
