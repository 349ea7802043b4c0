"""Dispatch: a request becomes a reply, whatever happens on the way."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TypeVar

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard.core.calls import Actor, Call, Failure, Paged, Reply, Request, Success
from landyard.core.errors import (
    CallError,
    DeadlineExceeded,
    InsufficientScope,
    InternalServerError,
    InvalidRequest,
    MethodNotFound,
    OverloadLimit,
    Postponed,
    SystemFailure,
)
from landyard.core.hook_calls import HookCalls, Outcome
from landyard.core.methods import Method
from landyard.core.ports import (
    NO_DEADLINE,
    Authenticator,
    Breaker,
    Deadline,
    Meter,
    Store,
    UnitOfWork,
)
from landyard.core.registry import Registry
from landyard.core.timing import Calendar, Timing, utc_now

log = structlog.get_logger()

_T = TypeVar("_T")
Observer = Callable[[Outcome], object]


class Undeclared(Exception):
    """A handler raised a code that its method does not declare (C11): a defect of the plugin."""


class Escaped(Exception):
    """A handler raised what is no `Exception`, such as `SystemExit`."""


class Running:
    """One call under way: the registry it began with, and what is known of it so far."""

    __slots__ = (
        *("actor", "admitted", "began", "committing", "deadline", "dispatcher", "method"),
        *("processing", "registry", "request", "start", "subject", "warnings"),
    )

    def __init__(self, dispatcher: "Dispatcher", request: Request, deadline: Deadline) -> None:
        """Begin."""
        self.dispatcher = dispatcher
        self.registry = dispatcher.registry
        self.request = request
        self.deadline = deadline
        self.start = time.time()
        self.began = time.perf_counter()
        self.processing = 0.0  # seconds inside the handler
        self.actor: Actor | None = None
        self.method: Method | None = None
        self.subject = ""
        self.warnings: dict[str, None] = {}  # each once, also of a call that is run again
        self.admitted = False  # whether it came as far as its handler
        self.committing = False  # whether the plugins have been told that it commits


class Dispatcher:
    """Answers requests; `registry` is what calls find from now on.

    `observers` are told of each answered call before the answer leaves, `failure_observers` of
    those that failed.
    """

    def __init__(
        self,
        registry: Registry,
        authenticator: Authenticator,
        store: Store,
        hooks: HookCalls,
        breaker: Breaker,
        *,
        meter: Meter,
        observers: Sequence[Observer] = (),
        failure_observers: Sequence[Observer] = (),
        zone: tzinfo = UTC,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Take what a kernel is made of."""
        self.registry = registry
        self.meter = meter
        self.observers = list(observers)
        self.failure_observers = failure_observers
        self.now = now
        self._authenticator = authenticator
        self._store = store
        self._hooks = hooks
        self._breaker = breaker
        self._calendar = Calendar(zone)

    def __call__(self, request: Request, deadline: Deadline = NO_DEADLINE) -> Reply:
        """Answer; raises `Postponed`, and no other `Exception`."""
        running = Running(self, request, deadline)
        crash: Exception | None = None
        reply: Reply
        try:
            done = self._run(running)
            warnings = tuple(running.warnings) or UNSET
            reply = Success(done.body, self._timing(running), done.next, done.total, warnings)
        except Postponed:
            raise
        except Exception as error:  # noqa: BLE001 - dispatch answers, whatever happens
            told = self._explain(running, error)
            reply = self._failure(running, told)
            crash = error if isinstance(told, InternalServerError | SystemFailure) else None
        self._announce(running, reply, crash)
        return reply

    def _run(self, running: Running) -> "_Result":
        request, registry = running.request, running.registry
        running.actor = actor = self._authenticator.actor(request.credential, request.address)
        running.method = method = registry.methods.by_name.get(request.method.lower())
        if "before_call" in registry.hooks:
            self._hooks.before_call(registry, request, actor, method)
        if method is None:
            raise MethodNotFound(registry.listing.suggest(request.method, actor))
        if method.scope and method.scope not in actor.scopes:
            raise InsufficientScope
        reader = registry.readers[method.name]
        if unknown := reader.unknown(request.params):
            self._pass_over(running, method, unknown)
        params = reader(request.params)
        if self._breaker.attentive:
            self._breaker.admit(method)
        running.admitted = True
        return self.transact(
            running, lambda call: self._handle(running, method, call, params), writes=method.writes
        )

    def _pass_over(self, running: Running, method: Method, unknown: Sequence[str]) -> None:
        names = ", ".join(f"'{name[:40]}'" for name in sorted(unknown)[:5])
        if method.unknown == "refuse":
            raise InvalidRequest(f"The method has no parameters of these names: {names}.")
        running.warnings[f"parameters that are not known were passed over: {names}"] = None

    def transact(self, running: Running, work: Callable[[Call], _T], *, writes: bool) -> _T:
        """Do `work` in a transaction of its own; what plugins write beside it goes in with it."""
        method = running.method
        assert method is not None

        def whole(unit: UnitOfWork) -> _T:
            call = Call(running, unit)
            done = work(call)
            if writes and not running.committing:
                seconds = time.perf_counter() - running.began
                self._hooks.before_commit(running.registry, call, method, seconds)
            return done

        done = self._store.run(whole, writes=writes, deadline=running.deadline, label=method.name)
        running.committing = running.committing or writes
        return done

    def _handle(self, running: Running, method: Method, call: Call, params: Struct) -> "_Result":
        """Run the handler, and turn its result into plain data inside the unit of work.

        A result that cannot be encoded is thereby a failed call, and leaves nothing behind.
        """
        began = time.perf_counter()
        try:
            result = method.handler(call, params)
        except CallError as error:
            if not method.declares(type(error)):
                raise Undeclared(f"{method.name} raised {error.code}") from error
            raise
        except Exception:
            raise
        except BaseException as error:
            raise Escaped(type(error).__name__) from error
        finally:
            running.processing += time.perf_counter() - began
        return _encoded(result)

    def _explain(self, running: Running, error: Exception) -> CallError:
        """Say what the caller is told; see the codes of C11 and C13."""
        method = running.method
        if isinstance(error, CallError):
            return error
        if isinstance(error, DeadlineExceeded):
            return OverloadLimit()  # the caller has been answered
        if not isinstance(error, Undeclared):
            mapped = self._hooks.map_error(running.registry, error)
            if mapped is not None and (
                mapped.system or (method is not None and method.declares(type(mapped)))
            ):
                return mapped
        return InternalServerError() if method is None else method.unexpected()

    def _failure(self, running: Running, told: CallError) -> Failure:
        return Failure(
            error=told.code,
            error_description=told.description,
            time=self._timing(running),
            status=told.status,
            retry_after=told.retry_after,
        )

    def _timing(self, running: Running) -> Timing:
        method, actor = running.method, running.actor
        spent: float = 0.0
        reset_at: float | UnsetType = UNSET
        if method is not None and actor is not None:
            spent, reset_at = self._spend(actor, method, running.processing)
        return self._calendar.timing(
            start=running.start,
            duration=time.perf_counter() - running.began,
            processing=running.processing,
            spent=spent,
            reset_at=reset_at,
        )

    def _spend(
        self, actor: Actor, method: Method, seconds: float
    ) -> tuple[float, float | UnsetType]:
        # What the call wrote is kept by now: a count that fails must not make a failure of it.
        try:
            operating = self.meter.spend(actor.credential, method.name, seconds)
        except Exception as error:  # noqa: BLE001 - see above
            log.warning("operating_lost", error=type(error).__name__)
            return seconds, time.time() if method.scope else UNSET
        return operating.spent, operating.reset_at if method.scope else UNSET

    def _announce(self, running: Running, reply: Reply, crash: Exception | None) -> None:
        method = running.method
        failed = isinstance(reply, Failure)
        # A call that ends after its deadline has hung; a refused one never ran the method.
        if self._breaker.attentive and running.admitted and not running.deadline.expired:
            assert method is not None
            self._breaker.finished(method)
        outcome = Outcome(
            running.request,
            running.actor,
            method,
            reply,
            crash,
            running.subject,
            running.processing,
        )
        for observe in self.observers:
            observe(outcome)
        if failed:
            for observe in self.failure_observers:
                observe(outcome)
        hooks = running.registry.hooks
        if "call_finished" in hooks or (failed and "call_failed" in hooks):
            self._hooks.call_finished(running.registry, outcome)


class _Result(Struct, frozen=True):
    body: Raw
    next: int | UnsetType = UNSET
    total: int | UnsetType = UNSET


def _encoded(result: object) -> _Result:
    if isinstance(result, Paged):
        return _Result(Raw(msgspec.json.encode(result.items)), result.next, result.total)
    return _Result(Raw(msgspec.json.encode(result)))
