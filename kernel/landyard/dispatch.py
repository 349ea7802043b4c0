"""Dispatch: a request becomes a reply, whatever happens on the way."""

import functools
import time
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct
from sqlalchemy import Connection

from landyard.audit import OK, Audit, Entry
from landyard.auth import Gate
from landyard.behind import Behind
from landyard.calls import Actor, Call, Failure, Paged, Reply, Request, Success, Timing, Trail
from landyard.errors import (
    CallError,
    InsufficientScope,
    InternalServerError,
    MethodNotFound,
    SystemFailure,
)
from landyard.faults import Faults
from landyard.fences import Escaped, Fences, TooMuch
from landyard.guards import Guards
from landyard.limits import Limits
from landyard.lineup import Hook, Lineup
from landyard.logs import hide
from landyard.methods import Method
from landyard.seats import Overrun, here
from landyard.store import Store, UnitOfWork
from landyard.usage import Usage

log = structlog.get_logger()

MOST_ANSWERED = 64 * 1024 * 1024  # bytes
Observer = Callable[[Request, Actor | None, Reply, Exception | None], None]


class Undeclared(Exception):
    """A handler raised a code that its method does not declare (C11): a defect of the plugin."""


class Dispatcher:
    """The whole of a call: credentials, method, scope, parameters, unit of work, handler.

    `lineup` is what calls find from now on; those under way finish on theirs. `observers` are told
    of every answered call.
    """

    def __init__(
        self,
        lineup: Lineup,
        gate: Gate,
        store: Store,
        *,
        limits: Limits,
        audit: Audit,
        fences: Fences,
        faults: Faults,
        usage: Usage,
        guards: Guards | None = None,
        behind: Behind | None = None,
        zone: tzinfo,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take what a kernel is made of."""
        self.lineup = lineup
        self.observers: list[Observer] = []
        self._gate = gate
        self._store = store
        self._limits = limits
        self._audit = audit
        self._fences = fences
        self._faults = faults
        self._usage = usage
        self._guards = guards
        self._behind = behind
        self._zone = zone
        self._now = now
        self._last_date = (0, "")  # writing a date costs more than the second it is good for

    def __call__(self, request: Request) -> Reply:
        """Answer; never raises an `Exception`."""
        run = _Run(request, self.lineup)
        crash: Exception | None = None
        try:
            success = self._run(run)
            run.answered = True
            reply: Reply = Success(success.body, self._timing(run), success.next, success.total)
        except CallError as error:
            run.answered = run.handled
            reply = self._failure(run, error)
        except Overrun:
            # The caller has been told, and so has whoever counts faults.
            return self._failure(run, self._undone(run))
        except Exception as error:  # noqa: BLE001 - dispatch answers, whatever happens
            explained = self._explain(run, error)
            # What a plugin or the kernel can explain is no defect; everything else is.
            crash = error if isinstance(explained, InternalServerError | SystemFailure) else None
            reply = self._failure(run, explained)
        self._tell(run, reply, crash)
        return reply

    def _run(self, run: "_Run") -> "_Result":
        request = run.request
        run.actor = actor = self._gate.actor(request.credential, request.address)
        if request.credential is not None:
            hide(request.credential.secret, everywhere=True)
        run.method = method = run.lineup.methods.find(request.method)
        self._limits.count(actor.credential)
        if method is None:
            raise MethodNotFound
        if not method.general and method.scope not in actor.scopes:
            raise InsufficientScope
        self._limits.admit(actor.credential, method.name)
        if method.writes:
            run.trail = Trail(lambda connection: self._keep(run, actor, method, connection))
        params = run.lineup.readers[method.name](request.params)
        if self._faults.held:
            self._faults.admit(method.plugin, method.seconds or 0.0)
        return self._store.run(
            lambda unit: self._handle(run, method, params, unit), writes=method.writes
        )

    def _handle(self, run: "_Run", method: Method, params: Struct, unit: UnitOfWork) -> "_Result":
        """Run the handler and encode its result, inside the unit of work.

        A result that cannot be encoded is thereby a failed call, and leaves nothing behind.
        """
        assert run.actor is not None
        call = Call(
            run.request,
            run.actor,
            method=method.name,
            unit=unit,
            store=self._store,
            settings=run.lineup.settings,
            listing=run.lineup.listing,
            now=self._now,
            trail=run.trail,
        )
        run.handled = True
        guards = self._guards
        weighed = None
        if guards is not None:
            weighed = guards.memory.begin(run.seat.thread, method.plugin)
        started = time.perf_counter()
        try:
            result = run.seat.run(method.plugin, method.handler, call, params)
        except CallError as error:
            if not method.declares(type(error)):
                raise Undeclared(f"{method.name} raised {error.code}") from error
            raise
        except (Exception, Overrun):
            raise
        except BaseException as error:
            raise Escaped(type(error).__name__) from error
        finally:
            seconds = time.perf_counter() - started
            run.processing += seconds
            if guards is not None and weighed is not None:
                guards.end(weighed, seconds)
        done = _encoded(result)
        run.seat.settle()
        if method.writes and not run.trail.kept:
            run.trail.keep(unit.connection)
        return done

    def _keep(self, run: "_Run", actor: Actor, method: Method, connection: Connection) -> None:
        """Write the audit's row, with what the call has written: from here on that stands."""
        run.seat.settle()
        self._audit.keep(connection, self._entry(run, actor, method, OK))

    def _entry(self, run: "_Run", actor: Actor, method: Method, outcome: str) -> Entry:
        return Entry(
            at=self._now(),
            user_id=actor.user_id,
            credential=actor.credential,
            address=run.request.address,
            method=method.name,
            plugin=method.plugin,
            version=method.version,
            subject=run.trail.subject,
            outcome=outcome,
            seconds=round(time.perf_counter() - run.started, 6),
            request_id=run.request.id,
        )

    def _explain(self, run: "_Run", error: Exception) -> CallError:
        if not isinstance(error, Undeclared):
            mapped = self._fences.map_error(run.lineup, error)
            if mapped is not None and (
                mapped.system or (run.method is not None and run.method.declares(type(mapped)))
            ):
                return mapped
        return self._undone(run)

    def _undone(self, run: "_Run") -> CallError:
        if run.method is not None and run.method.declares(SystemFailure):
            return SystemFailure()
        return InternalServerError()

    def _failure(self, run: "_Run", error: CallError) -> Failure:
        if run.actor is not None and run.method is not None and run.method.writes:
            self._audit.note(self._entry(run, run.actor, run.method, error.code))
        return Failure(
            error=error.code,
            error_description=error.description,
            time=self._timing(run),
            status=error.status,
            retry_after=getattr(error, "retry_after", None),
        )

    def _timing(self, run: "_Run") -> Timing:
        start = run.start
        finish = start + (time.perf_counter() - run.started)
        spent, reset_at = 0.0, None
        if run.method is not None and run.actor is not None:
            spent, reset_at = self._spend(run.actor, run.method, run.processing)
        begun = self._date(int(start))
        return Timing(
            start=start,
            finish=finish,
            duration=finish - start,
            processing=run.processing,
            date_start=begun,
            date_finish=begun if int(finish) == int(start) else self._date(int(finish)),
            operating=spent,
            operating_reset_at=(
                UNSET if reset_at is None or run.method is None or run.method.general else reset_at
            ),
        )

    def _spend(self, actor: Actor, method: Method, seconds: float) -> tuple[float, float]:
        # What the call wrote is kept by now: a count that fails must not make a failure of it.
        try:
            operating = self._limits.spend(actor.credential, method.name, seconds)
        except Exception as error:  # noqa: BLE001 - see above
            log.warning("operating_lost", error=type(error).__name__)
            return seconds, time.time()
        return operating.spent, operating.reset_at

    def _date(self, second: int) -> str:
        known = self._last_date
        if known[0] != second:
            known = (second, datetime.fromtimestamp(second, self._zone).isoformat())
            self._last_date = known
        return known[1]

    def _tell(self, run: "_Run", reply: Reply, crash: Exception | None) -> None:
        """Count the call for its plugin, and tell the observers."""
        method = run.method
        if method is not None and run.handled:
            blamed = crash is not None and self._fences.blame(method.plugin, method.name, crash)
            self._usage.note(method.plugin, run.processing, failed=blamed)
        if method is not None and self._faults.probing:
            if run.answered:
                self._faults.worked(method.plugin)
            self._faults.undecided(method.plugin)  # where nothing has decided
        for observe in run.lineup.own_observers:
            observe(run.request, run.actor, reply, crash)
        for observe in self.observers:
            observe(run.request, run.actor, reply, crash)
        for hook in run.lineup.observers:
            observe = functools.partial(self._observe, hook, run, reply, crash)
            if self._behind is None:
                observe()
            else:
                self._behind.do(hook.plugin_name, observe)

    def _observe(self, hook: Hook, run: "_Run", reply: Reply, crash: Exception | None) -> None:
        """Tell a plugin's observer, behind the answer; the log knows no secret there either."""
        credential = run.request.credential
        hide(credential.secret if credential else "", everywhere=run.actor is not None)
        try:
            self._fences.observe(hook, run.request, run.actor, reply, crash)
        finally:
            hide("")


class _Run:
    """What is known so far about the call under way."""

    __slots__ = (
        *("actor", "answered", "handled", "lineup", "method", "processing", "request"),
        *("seat", "start", "started", "trail"),
    )

    def __init__(self, request: Request, lineup: Lineup) -> None:
        self.request = request
        self.lineup = lineup
        self.seat = here()
        self.answered = self.handled = False
        self.start = time.time()
        self.started = time.perf_counter()
        self.processing = 0.0
        self.actor: Actor | None = None
        self.method: Method | None = None
        self.trail = Trail(None)


class _Result(Struct, frozen=True):
    body: Raw
    next: int | msgspec.UnsetType = UNSET
    total: int | msgspec.UnsetType = UNSET


def _encoded(result: object) -> _Result:
    if isinstance(result, Paged):
        return _Result(_raw(result.items), result.next, result.total)
    return _Result(_raw(result))


def _raw(result: object) -> Raw:
    encoded = msgspec.json.encode(result)
    if len(encoded) > MOST_ANSWERED:
        raise TooMuch(f"an answer of {len(encoded) // 1024**2} MiB")
    return Raw(encoded)
