"""Turns a request into a reply: authentication, hooks, parameters, transaction, the method."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct, UnsetType

from landyard.core import errors, ports
from landyard.core.calls import (
    ADMIN,
    Actor,
    Download,
    Failure,
    NoContent,
    Paged,
    Reply,
    Request,
    Result,
    Success,
)
from landyard.core.hook_calls import HookCalls, Outcome
from landyard.core.methods import Method
from landyard.core.registry import Registry
from landyard.core.running import Call, Running
from landyard.core.timing import AT_ONCE, NO_DEADLINE, Deadline, Timing, date_of

log = structlog.get_logger()

_T = TypeVar("_T")
Observer = Callable[[Outcome], object]
Failed = tuple[errors.CallError, Failure, Exception | None]

_NULL = Raw(b"null")
DEEPEST = 8  # methods that invoke each other


class _NoTransaction:
    """Stands for the unit of work of methods with `transaction=False`, and on the event loop."""

    opened = None

    def __getattr__(self, name: str) -> NoReturn:
        if self is NOT_NOW:  # the call begins anew, in a thread
            raise errors.Postponed(0.0)
        raise RuntimeError(
            "the method is registered with transaction=False: open one with `call.transaction`"
        )


NO_TRANSACTION: Any = _NoTransaction()
NOT_NOW: Any = _NoTransaction()


class Dispatcher(Struct, eq=False):
    """Answers requests; `registry` is what calls find from now on.

    `observers` are told of each answered call before the answer leaves, `failure_observers` of
    those that failed.
    """

    registry: Registry
    authenticator: ports.Authenticator
    store: ports.Store
    hooks: HookCalls
    breaker: ports.Breaker
    meter: ports.Meter
    observers: list[Observer]
    failure_observers: list[Observer]
    zone: tzinfo
    now: Callable[[], datetime]
    __repr__ = object.__repr__  # settings and what was sent have no business in a log

    def __call__(self, request: Request, deadline: Deadline = NO_DEADLINE) -> Reply:
        """Answer; raises `Postponed`, and no other `Exception`."""
        registry = self.registry
        rolls_back = bool(request.options) and _rolls_back(registry, request)
        running = Running(self, registry, request, deadline, rolls_back)
        if deadline is AT_ONCE:
            if self._may_wait(running):
                raise errors.Postponed(0.0)
            running.unit = NOT_NOW
        crash: Exception | None = None
        reply: Reply
        try:
            done = self.run(running)
            warnings = tuple(running.warnings) or UNSET
            timing = self.timing(running)
            reply = Success(done.body, timing, done.next, done.total, warnings, done.more)
        except errors.Postponed:
            raise
        except Exception as error:  # noqa: BLE001 - dispatch answers, whatever happens
            _, reply, crash = self.failed(running, error)
        self._announce(running, reply, crash)
        return reply

    def invoke(
        self,
        outer: Running,
        unit: ports.UnitOfWork,
        name: str,
        params: Mapping[str, Any],
        *,
        options: Mapping[str, Any] = MappingProxyType({}),
        plain: bool = True,
    ) -> Any:
        """Run the method `name` as a call inside of `outer`; returns what its handler returns.

        Hooks, scope, parameters and breaker are checked as for any call. Raises the `CallError`
        that a caller would be answered, and `RuntimeError` for a mistake of the outer method.
        """
        method = outer.registry.methods.find(name)
        assert outer.method is not None
        if outer.depth == DEEPEST:
            raise RuntimeError(f"{name}: methods invoke each other more than {DEEPEST} deep")
        if method is not None and method.writes and not outer.method.writes:
            raise RuntimeError(
                f"{outer.method.name} reads, and invokes {method.name}, which writes"
            )
        request = msgspec.structs.replace(
            outer.request, method=name, params=params, options=options
        )
        inner = Running(self, outer.registry, request, outer.deadline, outer.rolls_back)
        inner.actor, inner.depth, inner.plain = outer.actor, outer.depth + 1, plain
        inner.unit = None if unit is NO_TRANSACTION else unit
        inner.warnings = outer.warnings
        above, outer.deadline.doing = outer.deadline.doing, method.name if method else name
        try:
            result = self.run(inner)
        except errors.DeadlineExceeded:
            raise
        except Exception as error:
            answered, reply, crash = self.failed(inner, error)
            outer.invoked.append((inner, reply, crash))
            if answered is error or crash is not None:
                raise
            raise answered from error
        finally:
            outer.deadline.doing = above
        done = Result(_NULL) if plain else result
        success: Reply = Success(done.body, self.timing(inner), done.next, done.total)
        outer.invoked.append((inner, success, None))
        return result

    def ask(
        self,
        outer: Running,
        unit: ports.UnitOfWork,
        name: str,
        params: Mapping[str, Any],
        **options: Any,
    ) -> Reply:
        """Run a method as `invoke` does; returns its reply, also that of a failure.

        Raises what ends the transaction of the outer call, too: a deadlock, a database that is
        away.
        """
        before = len(outer.invoked)
        try:
            self.invoke(outer, unit, name, params, options=options, plain=False)
        except Exception as error:
            if len(outer.invoked) == before:  # it never was a call, or its time is up
                raise
            if unit is not NO_TRANSACTION and self.hooks.is_host_fault(error):
                raise  # the database has ended the transaction: the whole of it is run again
        inner, reply, crash = outer.invoked[-1]
        if isinstance(reply, Success):  # observers need no result, and the caller keeps the reply
            outer.invoked[-1] = inner, msgspec.structs.replace(reply, result=_NULL), crash
        return reply

    def _may_wait(self, running: Running) -> bool:
        """Tell whether a call may wait for something, such as a plugin that takes part in it."""
        method = running.registry.methods.by_name.get(running.request.method.lower())
        quick = method is not None and method.quick and not running.request.options
        return not quick or bool(running.registry.hooks.get("before_call"))

    def run(self, running: Running) -> Any:
        """Let a call in and run its method; returns its result, encoded unless it is `plain`.

        The order of the checks is that of rule C1.
        """
        request, registry = running.request, running.registry
        actor = running.actor
        if actor is None:
            wait = running.deadline is not AT_ONCE
            actor = self.authenticator.actor(request.credential, request.address, wait)
            running.actor = actor
            running.deadline.note_caller(actor.credential)
        running.method = method = registry.methods.by_name.get(request.method.lower())
        if registry.hooks.get("before_call"):
            self.hooks.before_call(registry, request=request, actor=actor, method=method)
        if method is None:
            raise _missing(registry, request.method, actor)
        if method.scope and method.scope not in actor.scopes:
            if method.scope == ADMIN and not actor.admin:
                raise errors.UserAccessError("This method is for administrators.")
            raise errors.InsufficientScope
        reader = registry.readers[method.name]
        if unknown := reader.unknown(request.params):
            self._pass_over(running, method, unknown)
        params = running.params = reader(request.params)
        if self.breaker.attentive:
            self.breaker.admit(method, actor.credential)
        running.admitted = True
        try:
            if running.unit is not None or not (method.transaction or running.rolls_back):
                return self._share(running, method, params)
            work = lambda call: self._handle(running, method, call, params)  # noqa: E731
            return self.transact(running, work, writes=method.writes)
        except errors.Answered as answered:
            return answered.args[0]

    def _share(self, running: Running, method: Method, params: Struct) -> Any:
        """Run the handler in the transaction of the call above, or without any."""
        unit = running.unit or NO_TRANSACTION
        call = _call(running, unit)
        if not method.writes or unit is NO_TRANSACTION:
            return self._handle(running, method, call, params)
        with unit.savepoint():
            done = self._handle(running, method, call, params)
            if not running.rolls_back:
                self.hooks.before_commit(running, call, method)
            return done

    def _pass_over(self, running: Running, method: Method, unknown: Sequence[str]) -> None:
        names = ", ".join(f"'{name[:40]}'" for name in sorted(unknown)[:5])
        if method.unknown == "refuse":
            raise errors.InvalidRequest(f"The method has no parameters of these names: {names}.")
        running.warnings[f"unknown parameters were ignored: {names}"] = None

    def transact(self, running: Running, work: Callable[[Call], _T], *, writes: bool) -> _T:
        """Do `work` in a transaction of its own; what plugins write beside it goes in with it."""
        method = running.method
        assert method is not None
        told = len(running.invoked)

        def whole(unit: ports.UnitOfWork) -> _T:
            del running.invoked[told:]  # of a run before this one
            call = _call(running, unit)
            done = work(call)
            if writes:
                self.hooks.before_commit(running, call, method)
            return done

        done = self.store.run(whole, writes=writes, deadline=running.deadline, label=method.name)
        running.committing = running.committing or writes
        return done

    def _handle(self, running: Running, method: Method, call: Call, params: Struct) -> Any:
        """Run the handler, and turn its result into plain data inside the unit of work.

        A result that cannot be encoded is thereby a failed call, and leaves nothing behind.
        """
        end = self.hooks.begin(running.registry, call, method) if running.request.options else None
        began = time.perf_counter()
        try:
            result = method.handler(call, params)
        except BaseException as error:
            if isinstance(error, errors.CallError) and not method.declares(type(error)):
                raise errors.Undeclared(f"{method.name} raised {error.code}") from error
            if not isinstance(error, Exception):
                raise errors.Escaped(type(error).__name__) from error
            raise
        finally:
            running.processing += time.perf_counter() - began
        done = result if running.plain else encoded(result, method.media_type)
        return done if end is None else end(done)

    def failed(self, running: Running, error: Exception) -> Failed:
        """Return what the caller is told, the reply that says it, and the crash behind it."""
        told = self._explain(running, error)
        timing, status = self.timing(running), told.status
        more = (told.retry_after, told.data, told.argument)
        reply = Failure(told.code, told.description, timing, status, *more)
        crashed = isinstance(told, errors.InternalServerError | errors.SystemFailure)
        return told, reply, error if crashed else None

    def _explain(self, running: Running, error: Exception) -> errors.CallError:
        """Say what the caller is told; see the codes of C11 and C13."""
        method = running.method
        if isinstance(error, errors.CallError):
            return error
        if isinstance(error, errors.DeadlineExceeded):
            return errors.OverloadLimit()  # the caller has been answered
        if not isinstance(error, errors.Undeclared):
            mapped = self.hooks.map_error(running.registry, error)
            if mapped and (mapped.system or (method and method.declares(type(mapped)))):
                return mapped
        return errors.InternalServerError() if method is None else method.unexpected()

    def timing(self, running: Running) -> Timing:
        """Count the operating seconds of a call, and say when it began and how long it took."""
        method, actor = running.method, running.actor
        spent: float = 0.0
        reset_at: float | UnsetType = UNSET
        if method is not None and actor is not None:
            inside = sum(each.processing for each, _, _ in running.invoked)  # counts as its own
            spent, reset_at = self._spend(actor, method, running.processing - inside)
        duration = time.perf_counter() - running.began
        finish = running.start + duration
        dates = date_of(int(running.start), self.zone), date_of(int(finish), self.zone)
        return Timing(running.start, finish, duration, running.processing, *dates, spent, reset_at)

    def _spend(self, actor: Actor, method: Method, took: float) -> tuple[float, float | UnsetType]:
        # The call's writes are kept by now, so a count that fails must not fail the call.
        try:
            operating = self.meter.spend(actor.credential, method.name, took)
        except Exception as error:  # noqa: BLE001 - see above
            log.warning("operating_lost", error=type(error).__name__)
            return took, time.time() if method.scope else UNSET
        return operating.spent, operating.reset_at if method.scope else UNSET

    def _announce(self, running: Running, reply: Reply, crash: Exception | None) -> None:
        for inner in running.invoked:
            self._announce(*inner)
        method = running.method
        failed = isinstance(reply, Failure)
        # A call that ends after its deadline has hung; a refused one never ran the method.
        if self.breaker.attentive and running.admitted and not running.deadline.expired:
            assert method is not None
            assert running.actor is not None
            self.breaker.finished(method, running.actor.credential)
        known = (running.request, running.actor, method, running.params)
        spent = (running.subject, running.processing, running.rolls_back)
        outcome = Outcome(*known, reply, crash, *spent)
        for observe in self.observers:
            observe(outcome)
        if failed:
            for observe in self.failure_observers:
                observe(outcome)
        if failed or "call_finished" in running.registry.hooks:
            self.hooks.call_finished(running.registry, outcome)


def _call(running: Running, unit: ports.UnitOfWork) -> Call:
    """Make the `Call` of a transaction that has not begun yet."""
    assert running.actor is not None
    assert running.method is not None
    registry = running.registry
    return Call(
        running,
        unit,
        running.request,
        running.actor,
        running.method.name,
        registry.subscribers,
        registry.settings.__getitem__,
    )


def _rolls_back(registry: Registry, request: Request) -> bool:
    """Tell whether an option of the call has its transaction rolled back."""
    asked = (registry.options.get(name) for name in request.options)
    return any(option is not None and option.rolls_back for option in asked)


def _missing(registry: Registry, method: str, actor: Actor) -> errors.CallError:
    """Return the error for a method that is not there, or whose tables wait for an upgrade."""
    if method.lower() in registry.waiting:
        told = "This method waits for an upgrade of the database; try again in a moment."
        return errors.OverloadLimit(told)
    return errors.MethodNotFound(registry.methods.suggest(method, actor))


def encoded(result: object, media_type: str) -> Result:
    """Write a handler's result as JSON, or see that its file is there.

    `media_type` is that of a file that says none. Raises what msgspec does for a result that cannot
    be written, and `OSError`.
    """
    if isinstance(result, Paged):
        return Result(Raw(msgspec.json.encode(result.items)), result.next, result.total)
    if isinstance(result, Download):
        if isinstance(result.content, Path):
            result.content.open("rb").close()
        return Result(msgspec.structs.replace(result, media_type=result.media_type or media_type))
    return Result(result if isinstance(result, NoContent) else Raw(msgspec.json.encode(result)))
