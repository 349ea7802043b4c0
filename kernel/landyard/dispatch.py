"""Dispatch: a request becomes a reply, whatever happens on the way."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo

import msgspec
import structlog
from msgspec import UNSET, Raw, Struct

from landyard.audit import OK, Audit, Entry
from landyard.auth import Gate
from landyard.calls import Actor, Call, Failure, Paged, Reply, Request, Success, Timing, Trail
from landyard.errors import (
    CallError,
    InsufficientScope,
    InternalServerError,
    MethodNotFound,
    SystemFailure,
)
from landyard.limits import Limits
from landyard.listing import Listing
from landyard.logs import hide
from landyard.methods import Method, MethodTable
from landyard.params import ParamsReader
from landyard.store import Store, UnitOfWork

log = structlog.get_logger()

MapError = Callable[[Exception], CallError | None]
Announce = Callable[[Request, Actor | None, Reply, Exception | None], None]


class Undeclared(Exception):
    """A handler raised a code that its method does not declare (C11): a defect of the plugin."""


class Dispatcher:
    """The whole of a call: credentials, method, scope, parameters, unit of work, handler."""

    def __init__(
        self,
        table: MethodTable,
        readers: Mapping[str, ParamsReader[Struct]],
        gate: Gate,
        store: Store,
        *,
        limits: Limits,
        audit: Audit,
        settings: Mapping[type[Struct], Struct],
        zone: tzinfo,
        map_error: MapError,
        announce: Announce,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take what a kernel is made of; `readers` read the parameters of each method."""
        self.table = table
        self.listing = Listing(table)
        self._gate = gate
        self._store = store
        self._limits = limits
        self._audit = audit
        self._settings = settings
        self._zone = zone
        self._map_error = map_error
        self._announce = announce
        self._now = now
        self._last_date = (0, "")  # writing a date costs more than the second it is good for
        self._readers = readers

    def __call__(self, request: Request) -> Reply:
        """Answer; never raises an `Exception`."""
        run = _Run(request)
        crash: Exception | None = None
        try:
            success = self._run(run)
            reply: Reply = Success(success.body, self._timing(run), success.next, success.total)
        except CallError as error:
            reply = self._failure(run, error)
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
        run.method = method = self.table.find(request.method)
        self._limits.count(actor.credential)
        if method is None:
            raise MethodNotFound
        if not method.general and method.scope not in actor.scopes:
            raise InsufficientScope
        self._limits.admit(actor.credential, method.name)
        if method.writes:
            run.trail = Trail(
                lambda connection: self._audit.keep(connection, self._entry(run, actor, method, OK))
            )
        params = self._readers[method.name](request.params)
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
            settings=self._settings,
            listing=self.listing,
            now=self._now,
            trail=run.trail,
        )
        started = time.perf_counter()
        try:
            result = method.handler(call, params)
        except CallError as error:
            if not method.declares(type(error)):
                raise Undeclared(f"{method.name} raised {error.code}") from error
            raise
        finally:
            run.processing += time.perf_counter() - started
        done = _encoded(result)
        if method.writes and not run.trail.kept:
            run.trail.keep(unit.connection)
        return done

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
            try:
                mapped = self._map_error(error)
            except Exception:
                log.exception("map_error_failed")
                mapped = None
            if isinstance(mapped, CallError) and (
                mapped.system or (run.method is not None and run.method.declares(type(mapped)))
            ):
                return mapped
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
        finish = run.start + (time.perf_counter() - run.started)
        spent, reset_at = 0.0, None
        if run.method is not None and run.actor is not None:
            spent, reset_at = self._spend(run.actor, run.method, run.processing)
        return Timing(
            start=run.start,
            finish=finish,
            duration=finish - run.start,
            processing=run.processing,
            date_start=self._date(run.start),
            date_finish=self._date(finish),
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

    def _date(self, moment: float) -> str:
        second = int(moment)
        known = self._last_date
        if known[0] != second:
            known = (second, datetime.fromtimestamp(second, self._zone).isoformat())
            self._last_date = known
        return known[1]

    def _tell(self, run: "_Run", reply: Reply, crash: Exception | None) -> None:
        try:
            self._announce(run.request, run.actor, reply, crash)
        except Exception:
            log.exception("call_finished_failed")


class _Run:
    """What is known so far about the call under way."""

    __slots__ = ("actor", "method", "processing", "request", "start", "started", "trail")

    def __init__(self, request: Request) -> None:
        self.request = request
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
        return _Result(Raw(msgspec.json.encode(result.items)), result.next, result.total)
    return _Result(Raw(msgspec.json.encode(result)))
