"""A running call: the state that dispatch keeps, and the `Call` that the method's handler gets."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct, field

from landyard.core.calls import Actor, Credential, Reply, Request
from landyard.core.methods import Hook, Method, MethodTable
from landyard.core.ports import UnitOfWork
from landyard.core.registry import Registry
from landyard.core.timing import Deadline

if TYPE_CHECKING:  # for annotations: the core imports no SQLAlchemy at run time
    from sqlalchemy import Connection
    from sqlmodel import Session

    from landyard.core.events import Event

_S = TypeVar("_S", bound=Struct)
_T = TypeVar("_T")


class Hooks(Protocol):
    """The hooks that a handler calls through its `Call`."""

    def guess(
        self, registry: Registry, address: str, secret: Credential
    ) -> AbstractContextManager[None]: ...
    def publish(self, registry: Registry, unit: object, event: "Event") -> None: ...


class Runner(Protocol):
    """The dispatcher, as far as a call under way needs it."""

    @property
    def hooks(self) -> Hooks: ...
    @property
    def now(self) -> Callable[[], datetime]: ...
    def transact(self, running: "Running", work: "Callable[[Call], _T]", *, writes: bool) -> _T: ...
    def invoke(
        self, outer: "Running", unit: UnitOfWork, name: str, params: Mapping[str, Any]
    ) -> Any: ...
    def ask(
        self,
        outer: "Running",
        unit: UnitOfWork,
        name: str,
        params: Mapping[str, Any],
        **options: Any,
    ) -> Reply: ...


class Running(Struct, eq=False):
    """One call under way: the registry that it began with, and what dispatch knows so far."""

    dispatcher: Runner
    registry: Registry
    request: Request
    deadline: Deadline
    rolls_back: bool  # as a call option asks for, of this call or the one above
    start: float = field(default_factory=time.time)
    began: float = field(default_factory=time.perf_counter)
    processing: float = 0.0  # seconds inside the handler
    actor: Actor | None = None
    method: Method | None = None
    params: Struct | None = None
    subject: str = ""
    warnings: dict[str, None] = {}  # each once, also when the call is run again
    admitted: bool = False  # whether the call reached its handler
    committing: bool = False  # whether plugins have been called for its commit
    depth: int = 0  # how many calls are above the one that is invoked
    plain: bool = False  # whether its result stays what the handler returned
    unit: UnitOfWork | None = None  # of the call that invokes it
    invoked: "list[tuple[Running, Reply, Exception | None]]" = []
    __repr__ = object.__repr__  # neither settings nor what a caller sent goes into a log


class SettingsByType(Protocol):
    def __call__(self, section: type[_S], /) -> _S: ...


class Call(Struct, eq=False):
    """A handler's first argument: the caller, the request, a database session and a clock.

    `method` is the registered name, however the caller spelt it. When there are no `subscribers` at
    all, nothing need be published. `settings(kind)` returns settings by their type: a plugin's own,
    or the kernel's `Settings`.
    """

    _running: Running
    _unit: UnitOfWork
    request: Request
    actor: Actor
    method: str
    subscribers: "Mapping[type[Event], list[Hook]]"
    settings: SettingsByType
    _now: datetime | None = None
    __repr__ = object.__repr__  # neither settings nor what a caller sent goes into a log

    @property
    def listing(self) -> MethodTable:
        """The methods that are on."""
        return self._running.registry.methods

    def now(self) -> datetime:
        """Return the moment of this transaction, aware of its time zone: of its first question."""
        self._now = self._now or self._running.dispatcher.now()
        return self._now

    @property
    def rolls_back(self) -> bool:
        """Whether the transaction will be rolled back at the end, as in a dry run.

        Then leave alone what no transaction takes back.
        """
        return self._running.rolls_back

    @property
    def subject(self) -> str:
        """The subject of the call, e.g. `page:10`. Hooks such as the audit's tell it."""
        return self._running.subject

    @subject.setter
    def subject(self, subject: str) -> None:
        self._running.subject = subject

    def warn(self, text: str) -> None:
        """Tell the caller in the header `Landyard-Warning` of an answer that is no error."""
        self._running.warnings[text] = None

    @property
    def connection(self) -> "Connection":
        """The connection of this call's one transaction, for Core statements: the fast way.

        Statements see what `session` has changed.
        """
        connection: Connection = self._unit.connection
        return connection

    @property
    def session(self) -> "Session":
        """A session on the same transaction, for the ORM. All commits when the handler returns."""
        session: Session = self._unit.session
        return session

    def transaction(self, work: "Callable[[Call], _T]", *, writes: bool = False) -> _T:
        """Do `work` in a transaction of its own, which is kept when it returns.

        For a method with long work between looking and writing, such as a download: with two of
        these around it nobody waits for it. Like a whole call, `work` may be run again. Raises
        `RuntimeError` once the call's own transaction has begun, which would wait for itself.
        """
        if self._unit.opened is not None:
            raise RuntimeError("the call's own transaction is open: `transaction` makes another")
        return self._running.dispatcher.transact(self._running, work, writes=writes)

    def look(self, work: "Callable[[Call], _T]") -> _T:
        """Do `work`, which only reads, before the call's own transaction begins.

        For a method that writes and has long work of its own to do first: it asks for rights here,
        and others do not wait for it. Where the transaction has begun, as in a batch of one
        transaction, it is done in that.
        """
        return work(self) if self._unit.opened is not None else self.transaction(work)

    def invoke(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Call another method for the same caller, in this transaction; returns its result.

        Scope, rights and hooks are asked again, and it counts as a call. A refusal is raised
        as a `CallError`: the refused call's writes are undone, and this call may go on. Raises
        `RuntimeError` where a method that reads invokes one that writes.
        """
        return self._running.dispatcher.invoke(self._running, self._unit, method, params or {})

    def ask(self, method: str, params: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        """Call another method as `invoke` does; returns its reply, also that of a failure."""
        return self._running.dispatcher.ask(self._running, self._unit, method, params or {}, **more)

    def guess(self, secret: Credential) -> AbstractContextManager[None]:
        """Surround a look at a secret that was sent: it counts as a credential of its user does.

        A `CallError` that leaves it says that the secret was wrong. Raises `QueryLimitExceeded`
        where there were too many.
        """
        running = self._running
        return running.dispatcher.hooks.guess(running.registry, self.request.address, secret)

    def publish(self, event: "Event") -> None:
        """Tell the subscribers of `event`, in this transaction; one that fails refuses the call."""
        self._running.dispatcher.hooks.publish(self._running.registry, self, event)

    def on_commit(self, action: Callable[[], object]) -> None:
        """Do `action` once the call is committed: what no rollback takes back, a file's removal."""
        self._unit.on_commit(action)

    def on_rollback(self, action: Callable[[], object]) -> None:
        """Do `action` if the call fails or is rerun: it takes back a file that was written."""
        self._unit.on_rollback(action)

    def records(self, kind: type[_T]) -> Mapping[str, _T]:
        """Return what plugins bring of a type of `Record`, by key, those of the first one first."""
        return self._running.registry.records.get(kind, {})

    def kept(self, kind: type[_T]) -> _T:
        """Return what a plugin's `register_hooks` answered, by its type; or `LookupError`."""
        for each in self._running.registry.kept:
            if isinstance(each, kind):
                return each
        raise LookupError(f"no plugin that is on keeps a {kind.__name__}")
