"""The kernel: builds all parts of a running service from the settings and the plugins."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import FrameType, MappingProxyType
from typing import Any, BinaryIO, TypeVar

import msgspec
import structlog
from msgspec import Struct
from sqlalchemy.exc import ArgumentError

from landyard.auth.cache import CredentialCache
from landyard.auth.credentials import note_used
from landyard.auth.world_lists import ACCOUNTS
from landyard.core.dispatch import Dispatcher
from landyard.core.events import Event
from landyard.core.hook_calls import HookCalls
from landyard.core.methods import Bounds, Method, MethodTable
from landyard.core.registry import Registry
from landyard.core.timing import WorkerMeter, utc_now
from landyard.logs import log_call
from landyard.plugin_host.discovery import Found
from landyard.plugin_host.failures import Failures
from landyard.plugin_host.host_faults import is_host_fault
from landyard.plugin_host.lifecycle import Lifecycle
from landyard.plugin_host.loading import (
    Contribution,
    Plugin,
    PluginError,
    check_models,
    contribution,
    import_plugin,
    several,
    with_kept,
)
from landyard.plugin_host.plugins import Plugins
from landyard.plugin_host.resolution import Resolution
from landyard.plugin_host.switchboard import Switchboard
from landyard.plugin_host.switches import plugin_settings
from landyard.plugin_host.usage import Usage
from landyard.serving import jobs as _jobs  # noqa: F401 - its table is one of the kernel's
from landyard.serving.background import Background
from landyard.serving.pools import Pools
from landyard.serving.process import Process
from landyard.serving.scoreboard import Scoreboard
from landyard.settings import Settings, SettingsError
from landyard.storage.schema import Schema
from landyard.storage.store import Store, UnitOfWork
from landyard.storage.world import Tally, World

S = TypeVar("S", bound=Struct)
log = structlog.get_logger()

_SHARED_WORDS = {"db", "plugins"}


class Kernel:
    """A kernel with its plugins, its database and its dispatcher. Close it when done.

    Plugins see it as their `Host`. `resolution` is what is on now. `breaker` refuses methods that
    hang or end their process.
    """

    def __init__(
        self,
        settings: Settings,
        plugins: Sequence[Plugin] | None = None,
        *,
        now: Callable[[], datetime] = utc_now,
        others: bool = True,
        left_out: Mapping[str, str] = MappingProxyType({}),
        loading: Callable[..., object] = lambda *_: None,
        scoreboard: Scoreboard | None = None,
    ) -> None:
        """Start with `plugins`, or with all that are installed and on.

        One that cannot be used is `failed` in `resolution.states`; where `settings.strict` that is
        a `PluginError`. Raises `SettingsError`. Without `others`, plugins of other packages than
        Landyard are as if they were not installed. `left_out` are not loaded, with reasons;
        `loading` is told of each before it is, and of "" at the end; also whether it may wait for
        others, as migrations do. Threads note on the `scoreboard` what they do.
        """
        self.settings = settings
        self.now = now
        self.rules = plugin_settings(settings)
        self.store = open_store(settings)
        # On SQLite those that wait for the same commit share it, and none needs a connection.
        writers = settings.threads * (4 if self.store.sqlite else 2)
        scoreboard = scoreboard or Scoreboard()
        pools = Pools(settings.threads, writers, scoreboard, self._overrun)
        self.process = Process(scoreboard, pools)
        self.usual_bounds = self._bounded(Bounds())
        self.usage = Usage(now)
        self.background = Background()
        self._loading = loading
        self._sections: dict[type[Struct], Struct] = {
            type(settings): settings,
            type(self.rules): self.rules,
        }
        try:
            self.lifecycle = Lifecycle(
                settings,
                self.rules,
                plugins,
                self.store,
                others=others,
                load=self._load,
                loading=loading,
                left_out=left_out,
                now=now,
                changed=self._use,
            )
        except BaseException:
            self.store.close()
            raise
        self.breaker = self.lifecycle.breaker
        self.failures = Failures(self.usage, self.lifecycle)
        switchboard = Switchboard(settings, self.rules, self.store)
        self.plugins = Plugins(self.lifecycle, switchboard, self.failures)
        self.hooks = HookCalls(self.failures.hook, self.background.later, is_host_fault)
        self._meter = WorkerMeter()
        self.credentials = CredentialCache(
            self.store,
            lambda credential, unit, at: self.hooks.authenticate(
                self.registry, unit, credential=credential, now=at
            ),
            guard=lambda address, credential: self.hooks.guard_authentication(
                self.registry, address=address, credential=credential
            ),
            now=now,
        )
        debug = settings.log_level == "debug"
        parts = self.registry, self.credentials, self.store, self.hooks, self.breaker
        self.dispatch = Dispatcher(
            *parts,
            meter=self.resolution.meter or self._meter,
            observers=[self.usage.call, *[log_call] * debug],
            failure_observers=[log_call] * (not debug),
            zone=settings.zone,
            now=now,
        )

    @property
    def resolution(self) -> Resolution:
        """The plugins that are on now, resolved."""
        return self.lifecycle.resolution

    @property
    def registry(self) -> Registry:
        """The registry that calls use now."""
        return self.resolution.registry

    @property
    def methods(self) -> MethodTable:
        """The methods that are on."""
        return self.registry.methods

    @property
    def schema(self) -> Schema:
        """The tables of the plugins that are on."""
        return self.plugins.schema

    @property
    def world(self) -> World:
        """The lists of the world file."""
        failed = [each for each in self.resolution.states if each.state == "failed"]
        absent = "; ".join(f"plugin '{each.name}' has failed: {each.reason}" for each in failed)
        return World([*ACCOUNTS, *self.resolution.lists], absent, self.records, self.section)

    def prepare(self) -> None:
        """Make the tables of those that have none; see `Lifecycle.prepare`."""
        self.lifecycle.prepare()

    def open_breaker(self, method: str, deaths: int) -> None:
        """Refuse a method for a while: the last `deaths` workers that died were at it."""
        found = self.methods.find(method)
        reason = f"the last {deaths} workers that died were in a call of it"
        self.breaker.open_for(method, found.plugin if found else "", reason)

    def section(self, kind: type[S]) -> S:
        """Return settings by their type, as `Call.settings` does; or `LookupError`."""
        # Also of one that is off: what it has under way goes on.
        found = self._sections.get(kind)
        if isinstance(found, kind):
            return found
        raise LookupError(f"no plugin brings settings of the type {kind.__name__}")

    def records(self, kind: type[S]) -> Mapping[str, S]:
        """Return what the plugins that are on bring of a type of `Record`, by key."""
        return self.registry.records.get(kind, {})

    def routes(self, brought: Contribution) -> list[object]:
        """Collect a plugin's public pages; raises `PluginError`."""
        self._loading(brought.plugin.name)
        try:
            return list(several(brought.asked, "register_routes", host=self))
        finally:
            self._loading("")

    def commands(self) -> list[Any]:
        """Collect the plugins' commands for the command line."""
        return [word for _, word in self.words()]

    def words(self) -> list[tuple[str, Any]]:
        """Collect the plugins' commands, each behind the name of its plugin.

        Of two plugins with one word the first has it; several may add to a group `db` or `plugins`.
        """
        words: list[tuple[str, Any]] = []
        owners: dict[str, str] = {}
        for each in self.resolution.contributions:
            self._loading(each.plugin.name)
            try:
                brought = several(each.asked, "register_commands")
                for word in brought:
                    owner = owners.setdefault(word.name, each.plugin.name)
                    if owner == each.plugin.name or word.name in _SHARED_WORDS:
                        words.append((each.plugin.name, word))
                    else:
                        told = {"command": word.name, "brought_by": owner}
                        log.error("command_taken", plugin=each.plugin.name, **told)
            except PluginError as error:
                log.error("plugin_failed", plugin=each.plugin.name, reason=str(error))  # noqa: TRY400
            finally:
                self._loading("")
        return words

    def publish(self, unit: UnitOfWork, event: Event) -> None:
        """Tell the subscribers of `event`, in the transaction of `unit`: for jobs and commands."""
        self.hooks.publish(self.registry, unit, event)

    def load(self, world: bytes | BinaryIO, told: Callable[[int], object] = lambda _: 0) -> Tally:
        """Load a world file; raises `WorldError` and changes nothing when it is wrong.

        `told` is told how many bytes were loaded, again and again.
        """
        return self.store.run(
            lambda unit: self.world.load(world, unit.connection, self.now(), told), writes=True
        )

    def dump(self) -> Iterator[bytes]:
        """Write the whole service, but for secrets, as a world file, as it is at one moment."""
        with self.store.moment() as unit:
            yield from self.world.dump(unit.session)

    def write_records(self) -> None:
        """Write when credentials were last used, and how the calls of each method went."""
        note_used(self.store, self.credentials.take_used())
        self.usage.flush(self.store)

    def close(self) -> None:
        """Finish the work under way, then let go of the database."""
        # The server has waited `shutdown_grace` for what is under way; this is for the rest.
        self.process.pools.close(grace=1.0)
        self.background.close(grace=0.5)
        self.lifecycle.close()
        self.store.close()

    def _load(self, found: Found, given: Plugin | None) -> Contribution:
        self._loading(found.name)
        plugin = import_plugin(found) if given is None else given
        finished = functools.partial(self._finished, plugin)
        brought = contribution(plugin, self.settings.plugins, finished)
        self._sections |= {type(each): each for each in brought.sections.values()}
        brought = with_kept(brought, self)
        check_models(plugin)  # a hook may declare some, as it is asked
        return brought

    def _finished(self, plugin: Plugin, method: Method) -> Method:
        seconds = self.rules.seconds if method.seconds is None else method.seconds
        said = {"plugin": plugin.name, "version": plugin.version, "seconds": seconds}
        return msgspec.structs.replace(method, **said, bounds=self._bounded(method.bounds))

    def _overrun(self, label: str, seconds: float, frame: FrameType | None) -> str:
        return self.failures.overrun(label, seconds, frame)

    def _use(self, resolution: Resolution) -> None:
        self.dispatch.registry = resolution.registry
        self.dispatch.meter = resolution.meter or self._meter
        self.credentials.forget()  # those that a plugin has let in which is off now

    def _bounded(self, bounds: Bounds) -> Bounds:
        most = self.settings.max_body
        size = most if bounds.size is None else min(bounds.size, most)
        return msgspec.structs.replace(bounds, size=size)


def open_store(settings: Settings) -> Store:
    """Prepare to use the database of the settings; raises `SettingsError` for a wrong URL."""
    try:
        return Store(settings.database, connections=3 * settings.threads + 1)
    except (ArgumentError, ImportError) as error:
        told = "must be a URL such as postgresql://user@host/name"
        if isinstance(error, ImportError) and settings.database.startswith("postgres"):
            told = "for PostgreSQL install landyard[postgres]"
        # The URL itself stays out of the text: it may hold a password.
        raise SettingsError(f"database_url: {told}") from error
