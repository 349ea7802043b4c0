"""Calls the plugins' hooks, and keeps a failure of one plugin from harming the others."""

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import structlog
from msgspec import Struct

from landyard.core.calls import Actor, Credential, Failure, Reply, Request, Result
from landyard.core.errors import (
    Answered,
    CallError,
    DeadlineExceeded,
    InvalidRequest,
    OverloadLimit,
    Postponed,
    QueryLimitExceeded,
)
from landyard.core.methods import Hook, Method
from landyard.core.ports import UnitOfWork
from landyard.core.registry import Registry
from landyard.core.running import Call, Running

log = structlog.get_logger()


class Outcome(Struct, frozen=True):
    """The end of a call: `crash` is the unexpected exception behind a failure.

    `actor`, `method` and `params`, as read, are None for a call that did not get that far.
    `seconds` are those inside the handler. Nothing of a call that was `rolled_back` was kept, nor
    of one inside of it.
    """

    request: Request
    actor: Actor | None
    method: Method | None
    params: Struct | None
    reply: Reply
    crash: BaseException | None
    subject: str
    seconds: float
    rolled_back: bool


class HookFailed(OverloadLimit):
    """A hook that decides about a call has failed: nobody knows what it would have said."""

    text = "A check of the service has failed; try again in a moment."


class HookCalls(Struct, frozen=True):
    """Calls the hooks of the registry that a call began with.

    `failed(hook, error)` is told of each hook that raised; `later(plugin, action)` runs what nobody
    waits for, in the order of each plugin. `is_host_fault` tells errors of the database and the
    machine: they are no hook's.
    """

    failed: Callable[[Hook, BaseException], object]
    later: Callable[[str, Callable[[], object]], object]
    is_host_fault: Callable[[BaseException], bool]

    def authenticate(self, registry: Registry, unit: UnitOfWork, **given: object) -> Actor | None:
        """Ask whose a credential is; the first answer counts. Raises `HookFailed`, `CallError`."""
        for hook in registry.hooks.get("authenticate", ()):
            wanted = {"connection", "session"}.intersection(hook.arguments)
            given |= {name: getattr(unit, name) for name in wanted}
            actor: Actor | None = self._decide(hook, _actor, hook, given)
            if actor is not None:
                return actor
        return None

    @contextmanager
    def guard_authentication(self, registry: Registry, **given: object) -> Iterator[None]:
        """Surround an unknown credential's look-up; raises `CallError`, `Postponed`."""
        with ExitStack() as stack:
            for hook in registry.hooks.get("guard_authentication", ()):
                if (guard := self._decide(hook, hook, given)) is not None:
                    self._decide(hook, stack.enter_context, guard)
            yield

    @contextmanager
    def guess(self, registry: Registry, address: str, secret: Credential) -> Iterator[None]:
        """Surround a look at a secret inside of a call, which is not made again later."""
        guard = self.guard_authentication(registry, address=address, credential=secret)
        with ExitStack() as stack:
            try:
                stack.enter_context(guard)
            except Postponed as until:
                wait = math.ceil(until.seconds)
                raise QueryLimitExceeded(
                    f"Too many wrong secrets; try again in {wait} seconds.", retry_after=wait
                ) from None
            yield

    def before_call(self, registry: Registry, **given: object) -> None:
        """Let each plugin refuse a call; raises `HookFailed`, `CallError`."""
        for hook in registry.hooks["before_call"]:
            if self._decide(hook, hook, given) == "not again":  # a switch makes another registry
                left = [each for each in registry.hooks["before_call"] if each is not hook]
                registry.hooks["before_call"] = left

    def begin(self, registry: Registry, call: Call, method: Method) -> Callable[[Result], Result]:
        """Let plugins begin the call's options; returns the function that ends them.

        It takes the call's result and returns it with what the options add. Raises `InvalidRequest`
        for an option that no plugin handles.
        """
        ends: dict[str, tuple[Hook, Any]] = {}
        for hook in registry.hooks.get("begin_call", ()):
            ends |= self._decide(hook, _ends, hook, {"call": call, "method": method})
        if unknown := call.request.options.keys() - ends:
            raise InvalidRequest(f"This service takes no `{min(unknown)}`: no plugin sees to it.")

        def end(done: Result) -> Result:
            _ = call._unit.opened and call._unit.connection  # noqa: SLF001 - what a session holds is written
            for hook, each in ends.values():
                done = self._decide(hook, each, done)
            return done

        return end

    def before_commit(self, running: Running, call: Call, method: Method) -> None:
        """Let each plugin write beside what a call wrote; raises `HookFailed`, `CallError`."""
        again, seconds = running.committing, time.perf_counter() - running.began
        given = {"call": call, "method": method, "seconds": seconds, "again": again}
        writes: list[Any] = []
        unit = call._unit  # noqa: SLF001
        for hook in running.registry.hooks.get("before_commit", ()):
            if not again or ("again" in hook.arguments and unit.opened):
                if unit.opened is None or unit.opened_session is not None:
                    _ = unit.connection  # when it cannot begin, that is no fault of the hook
                taken = map(given.__getitem__, hook.arguments)
                self._decide(hook, writes.extend, self._decide(hook, hook.function, *taken) or ())
        if writes:  # where one fails it may be an earlier plugin's: the error names the table
            self._decide(hook, unit.write, writes)

    def publish(self, registry: Registry, unit: object, event: object) -> None:
        """Tell subscribers of an event, in its transaction; raises `HookFailed`, `CallError`."""
        for kind in type(event).__mro__:
            for hook in registry.subscribers.get(kind, ()):
                self._decide(hook, hook, {"unit": unit, "event": event})

    def map_error(self, registry: Registry, error: BaseException) -> CallError | None:
        """Ask what a caller is told about an exception; the first answer counts."""
        for hook in registry.hooks.get("map_error", ()):
            told = self._told(hook, {"error": error})
            if isinstance(told, CallError):
                return told
        return None

    def call_finished(self, registry: Registry, outcome: Outcome) -> None:
        """Tell each plugin of an answered call, where nobody waits for it."""
        given = {name: getattr(outcome, name) for name in outcome.__struct_fields__}
        self.tell(registry, "call_finished", given)
        if isinstance(outcome.reply, Failure):
            self.tell(registry, "call_failed", given)

    def tell(self, registry: Registry, name: str, given: Mapping[str, object]) -> None:
        """Call a told hook of each plugin, where nobody waits for it."""
        for hook in registry.hooks.get(name, ()):
            self.later(hook.plugin, functools.partial(self._told, hook, given))

    def _decide(self, hook: Hook, ask: Callable[..., Any], *given: Any) -> Any:
        """Run a deciding hook.

        A `CallError` passes through. Any other exception is logged as the plugin's failure and
        raised as `HookFailed`.
        """
        try:
            return ask(*given)
        except (Answered, CallError, DeadlineExceeded, Postponed):
            raise
        except BaseException as error:
            if self.is_host_fault(error):
                raise  # the database may ask for another try
            self.failed(hook, error)
            raise HookFailed from error

    def _told(self, hook: Hook, given: Mapping[str, object]) -> Any:
        try:
            return hook(given)
        except BaseException as error:  # noqa: BLE001 - the call is answered, whatever it is
            self.failed(hook, error)
            return None


def _actor(hook: Hook, given: Mapping[str, object]) -> Actor | None:
    actor = hook(given)
    if actor is not None and not isinstance(actor, Actor):
        raise TypeError(f"authenticate answered {type(actor).__name__}, not an Actor")
    if actor is not None and actor.expires_at and actor.expires_at.tzinfo is None:
        raise TypeError("authenticate answered an expires_at without a time zone")
    return actor


def _ends(hook: Hook, given: Mapping[str, object]) -> dict[str, tuple[Hook, Any]]:
    return {name: (hook, end) for name, end in (hook(given) or {}).items()}
