"""Settings and plugins become a running kernel."""

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
import structlog
from msgspec import Struct
from sqlalchemy.exc import ArgumentError
from sqlmodel import select

from landyard import builtin
from landyard.assembly import Assembly
from landyard.audit import Audit
from landyard.auth import Gate
from landyard.behind import Behind
from landyard.calls import Actor, Credential
from landyard.credentials import User, note_used
from landyard.discovery import Found
from landyard.dispatch import Dispatcher
from landyard.faults import HELD, TOO_LONG
from landyard.fences import Fences
from landyard.hookspecs import Demo
from landyard.jobs import Job
from landyard.ledger import Ledger
from landyard.limits import Limits, LimitSettings
from landyard.lineup import KERNEL, Lineup
from landyard.methods import Bounds, Method, MethodTable
from landyard.plugins import (
    Contribution,
    Plugin,
    PluginError,
    asked_for_several,
    contribution,
    import_plugin,
)
from landyard.roster import Roster
from landyard.schema import Schema
from landyard.seats import here
from landyard.settings import Settings, SettingsError
from landyard.states import PluginState, plugin_settings
from landyard.store import Store
from landyard.units import ActionFailed
from landyard.usage import Usage
from landyard.watch import Watch
from landyard.workers import Workers
from landyard.world import Tally, World

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

log = structlog.get_logger()


class Kernel:
    """A kernel with its plugins, its database and its dispatcher. Close it when done.

    `dispatch(request)` answers a call; `lineup` is what is on now; `store` and `schema` are what
    the command line works with.
    """

    def __init__(
        self,
        settings: Settings,
        plugins: Sequence[Plugin] | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        watch: Watch | None = None,
    ) -> None:
        """Start with `plugins`, or with all that are installed and on.

        One that cannot be used is `failed` in `report`, and the others work; where
        `settings.strict` that is a `PluginError`. Raises `SettingsError`. A process that serves
        brings a `watch`.
        """
        self.settings = settings
        self.now = now
        self.watch = watch
        self.rules = plugin_settings(settings)
        self.store = open_store(
            settings, on_held=self._blame_held, on_action_failed=self._blame_action
        )
        self.usual_bounds = self._bounded(Bounds())
        own = contribution(Plugin(KERNEL, builtin), settings.plugins)
        self._roster = Roster(settings, self.rules, own, plugins, load=self._load, now=now)
        self.assembly = Assembly(
            settings,
            self.rules,
            self._roster,
            self.store,
            deadly=watch.deadly if watch else set(),
            now=now,
            changed=self._use,
        )
        self.faults = self.assembly.faults
        # What its own plugins are asked to do is the caller's doing: one caller with large calls
        # must not take them from everybody.
        self._ours = self._roster.ours
        self.fences = Fences(self.faults, self._ours)
        self.usage = Usage()
        share: dict[str, Any] = {
            "recorder": watch and watch.recorder,
            "on_overrun": self._blame_overrun,
        }
        self._workers = Workers(settings.threads, **share)
        self._writing = Workers(settings.threads, **share)
        # They wait more than they work; while some wait for a download, others take a picture in.
        self._slow = Workers(2 * settings.threads, patient=True, **share)
        self._behind = Behind(self._blame_slow) if watch else None
        self.ledger = Ledger(settings, self.store)
        limits = Limits(self.section(LimitSettings), self.ledger)
        self.gate = Gate(self._authenticate, guess=limits.guess, now=now)
        self.audit = Audit()
        self.dispatch = Dispatcher(
            self.lineup,
            self.gate,
            self.store,
            limits=limits,
            audit=self.audit,
            fences=self.fences,
            faults=self.faults,
            usage=self.usage,
            guards=watch.guards if watch else None,
            behind=self._behind,
            zone=settings.zone,
            now=now,
        )

    @property
    def lineup(self) -> Lineup:
        """What is on now."""
        return self.assembly.lineup

    @property
    def methods(self) -> MethodTable:
        """The methods that are on."""
        return self.lineup.methods

    @property
    def plugins(self) -> list[Plugin]:
        """The plugins that are on, in the order they are asked in."""
        return self.lineup.plugins

    @property
    def report(self) -> list[PluginState]:
        """How each installed plugin stands."""
        return self.assembly.report

    @property
    def sections(self) -> dict[str, Struct]:
        """The settings of the plugins that are on, by section."""
        return self.lineup.sections

    @property
    def jobs(self) -> list[Job]:
        """The periodic work of the plugins that are on."""
        return [job for _, job in self.lineup.jobs.values()]

    @property
    def schema(self) -> Schema:
        """The tables of the plugins that are on."""
        return Schema([each.tables for each in self.lineup.contributions if each.tables])

    @property
    def world(self) -> World:
        """The lists of the world file of the plugins that are on."""
        return World(self.lineup.lists)

    def prepare(self) -> None:
        """Make the tables of those that have none; see `Assembly.prepare`."""
        self.assembly.prepare()
        if self.watch is not None and self.watch.deadly:
            self.assembly.write_report()  # for the next process, should this one not get far

    def refresh(self) -> None:
        """Take up what operators and other workers have changed; see `Assembly.refresh`."""
        self.assembly.refresh()

    async def in_worker(self, work: Callable[..., T], *given: Any) -> T:
        """Run `work` whole in one of the few worker threads (the web edge is async, it is not).

        Raises `TimeIsUp` for a plugin's that takes longer than `plugins.seconds`.
        """
        owner = self.watch and self.watch.owner_of(getattr(work, "__module__", "") or "")
        if not owner:
            return await self._workers.run(work, *given)
        run = functools.partial(_in_name, owner, work)
        return await self._workers.run(run, *given, owner=owner, seconds=self.rules.seconds)

    async def call_in_worker(self, method: Method | None, work: Callable[..., T], *given: Any) -> T:
        """Run the `work` of a call of `method` whole in a worker thread.

        Calls of methods that write have threads of their own: where they wait for the database,
        nobody who reads waits with them. So have slow ones, which wait for the world outside.
        """
        if method is None:
            return await self._workers.run(work, *given, seconds=self.rules.seconds)
        workers = self._writing if method.writes else self._workers
        workers = self._slow if method.slow else workers
        return await workers.run(work, *given, owner=method.plugin, seconds=method.seconds)

    def section(self, kind: type[S]) -> S:
        """Return a plugin's settings by their type, as `Call.settings` does; or `LookupError`."""
        # Also of one that is off: what it has under way goes on.
        known = (each for brought in self._roster.loaded() for each in brought.sections.values())
        every = (*self.sections.values(), *known)
        for found in every:
            if isinstance(found, kind):
                return found
        raise LookupError(f"no plugin brings settings of the type {kind.__name__}")

    def bounds(self, method: str) -> Bounds:
        """Say how large a request for a method of this name may be, there or not."""
        found = self.methods.find(method)
        return self.usual_bounds if found is None else found.bounds

    def routes(self, plugin: Plugin) -> list[object]:
        """Collect a plugin's public pages; raises `PluginError`."""
        return asked_for_several(plugin, "register_routes", object, kernel=self)

    def commands(self) -> list[Any]:
        """Collect the plugins' words of the command line."""
        words: list[Any] = []
        for plugin in self.plugins:
            try:
                words += asked_for_several(plugin, "register_commands", object)
            except PluginError as error:
                log.error("plugin_failed", plugin=plugin.name, reason=str(error))  # noqa: TRY400
        return words

    def demo(self) -> Demo | None:
        """Return the demo that the first plugin with one brings."""
        return self.lineup.demo

    def inhabited(self) -> bool:
        """Tell whether the service has any user."""
        with self.store.session() as session:
            return session.exec(select(User)).first() is not None

    def load(self, world: bytes, progress: Callable[[int, int], None] = lambda *_: None) -> Tally:
        """Load a world file; raises `WorldError` and changes nothing when it is wrong."""
        return self.store.run(
            lambda unit: self.world.load(world, unit.session, self.now(), progress), writes=True
        )

    def dump(self) -> bytes:
        """Write the whole service, but for secrets, as a world file."""
        with self.store.session() as session:
            return self.world.dump(session)

    def write_records(self, *, last: bool = False) -> None:
        """Write what calls have left to be written behind them; the `last` time, all of it.

        These are the audit's rows of calls that failed, when credentials were last used, and how
        the calls of each plugin went.
        """
        try:
            self.audit.flush(self.store)
        finally:
            if self.watch is not None:
                self.watch.look(self.faults, self.rules.faults)
            note_used(self.store, self.gate.take_used())
            self.usage.flush(self.ledger, at_once=last)

    def note_deaths(self) -> None:
        """Blame who has killed another worker, before the same call comes here."""
        if self.watch is not None:
            self.watch.note_deaths(self.faults, self.rules.faults)

    def close(self) -> None:
        """Finish the work under way, then let go of the database."""
        # The server has waited `shutdown_grace` for what is under way; this is for the rest.
        for workers in (self._workers, self._writing, self._slow):
            workers.close(grace=1.0)
        if self._behind is not None:
            self._behind.close(grace=0.5)
        if self.watch is not None:
            self.watch.close()
        self.ledger.close()
        self.store.close()

    def _load(self, found: Found, given: Plugin | None) -> Contribution:
        with nullcontext() if self.watch is None else self.watch.importing(found.name):
            plugin = import_plugin(found) if given is None else given
        finished = functools.partial(self._finished, plugin=plugin)
        return contribution(plugin, self.settings.plugins, finished)

    def _use(self, lineup: Lineup) -> None:
        self.dispatch.lineup = lineup
        self.gate.forget()  # those that a plugin has let in which is off now

    def _blame_overrun(self, owner: str, seconds: float) -> None:
        log.warning("call_overran", plugin=owner or None, seconds=seconds)
        if owner:
            self.usage.note(owner, seconds, failed=True)
            self.faults.blame(owner, f"a call ran longer than {seconds:g} s", TOO_LONG)

    def _blame_held(self, owner: str) -> None:
        log.warning("turn_kept", plugin=owner)
        if owner not in self._ours:
            self.faults.blame(owner, "a call kept everybody else from writing", HELD)

    def _blame_action(self, owner: str, error: BaseException) -> None:
        self.fences.blame(owner, "an action behind a call", error)

    def _blame_slow(self, plugin: str) -> None:
        self.faults.blame(plugin, "its call_finished cannot keep up with the calls")

    def _finished(self, method: Method, plugin: Plugin) -> Method:
        return msgspec.structs.replace(
            method,
            plugin=plugin.name,
            version=plugin.version,
            bounds=self._bounded(method.bounds),
            seconds=self.rules.seconds if method.seconds is None else method.seconds,
        )

    def _bounded(self, bounds: Bounds) -> Bounds:
        most = self.settings.max_body
        size = most if bounds.size is None else min(bounds.size, most)
        return msgspec.structs.replace(bounds, size=size)

    def _authenticate(self, credential: Credential) -> Actor | None:
        with self.store.session() as session:
            return self.fences.authenticate(self.lineup, credential, session, self.now())


def _in_name(owner: str, work: Callable[..., T], *given: Any) -> T:
    return here().run(owner, work, *given)


def open_store(
    settings: Settings,
    *,
    on_held: Callable[[str], None] = lambda _owner: None,
    on_action_failed: ActionFailed = lambda _owner, _error: None,
) -> Store:
    """Prepare to use the database of the settings; raises `SettingsError` for a wrong URL.

    `on_held` is told whose call has kept the one turn to write for too long, `on_action_failed`
    whose action behind a call has failed.
    """
    told: dict[str, Any] = {"on_held": on_held, "on_action_failed": on_action_failed}
    try:
        return Store(settings.database, connections=3 * settings.threads + 1, **told)
    except (ArgumentError, ImportError) as error:
        # The URL itself stays out of the text: it may hold a password.
        raise SettingsError(
            "database_url: must be a URL such as postgresql://user@host/name"
        ) from error
