"""Settings and plugins become a running kernel."""

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
import pluggy
import structlog
from msgspec import Struct
from sqlalchemy.exc import ArgumentError
from sqlmodel import select

from landyard import builtin
from landyard.audit import Audit
from landyard.auth import Gate
from landyard.calls import Actor, Credential
from landyard.credentials import User, note_used
from landyard.dispatch import Dispatcher
from landyard.hookspecs import Demo
from landyard.jobs import Job
from landyard.ledger import Ledger
from landyard.limits import Limits, LimitSettings
from landyard.methods import Bounds, Method, MethodGroup, MethodTable
from landyard.params import ParamsReader, params_reader
from landyard.plugins import Plugin, PluginError, answers, in_order, installed, register
from landyard.schema import Schema, Tables
from landyard.settings import Settings, SettingsError, read_section
from landyard.store import Store
from landyard.workers import Workers
from landyard.world import Tally, World, WorldList

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

KERNEL = Plugin("kernel", builtin)


class Kernel:
    """A kernel with its plugins, its database and its dispatcher. Close it when done.

    `dispatch(request)` answers a call; `store`, `schema` and `world` are what the command line
    works with; `sections` are the plugins' settings by section, `jobs` their periodic work.
    """

    def __init__(
        self,
        settings: Settings,
        plugins: Sequence[Plugin] | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Start with `plugins`, or with all that are installed.

        Raises `PluginError` or `SettingsError`; opens no connection yet.
        """
        self.settings = settings
        self.now = now
        self.plugins = [KERNEL, *in_order(installed() if plugins is None else plugins)]
        self.hooks = register(self.plugins)
        self.sections = self._read_sections()
        self._workers = Workers(settings.threads)
        self._writing = Workers(settings.threads)
        # They wait more than they work; while some wait for a download, others take a picture in.
        self._slow = Workers(2 * settings.threads)
        self.store = _store(settings)
        self.schema = Schema(list(self._ask("register_tables", Tables).values()))
        self.world = World(self._ask_for_all("register_world", WorldList))
        self.jobs = self._collect_jobs()
        self._usual_bounds = self._bounded(Bounds())
        self.methods, readers = self._method_table()
        self.ledger = Ledger(settings, self.store)
        limits = Limits(self.section(LimitSettings), self.ledger)
        self.gate = Gate(self._authenticate, guess=limits.guess, now=now)
        self.audit = Audit()
        self.dispatch = Dispatcher(
            self.methods,
            readers,
            self.gate,
            self.store,
            limits=limits,
            audit=self.audit,
            settings=self._settings_by_type(),
            zone=settings.zone,
            map_error=lambda error: self.hooks.hook.map_error(error=error),
            announce=self._announce,
            now=now,
        )

    async def in_worker(self, work: Callable[..., T], *given: Any, method: str = "") -> T:
        """Run `work` whole in one of the few worker threads (the web edge is async, it is not).

        Calls of methods that write have threads of their own: where they wait for the database,
        nobody who reads waits with them. So have slow ones, which wait for the world outside.
        """
        found = self.methods.find(method)
        workers = self._workers
        if found is not None and (found.slow or found.writes):
            workers = self._slow if found.slow else self._writing
        return await workers.run(work, *given)

    def section(self, kind: type[S]) -> S:
        """Return a plugin's settings by their type, as `Call.settings` does."""
        return next(found for found in self.sections.values() if isinstance(found, kind))

    def bounds(self, method: str) -> Bounds:
        """Say how large a request for a method of this name may be, there or not."""
        found = self.methods.find(method)
        return self._usual_bounds if found is None else found.bounds

    def routes(self) -> list[object]:
        """Collect the plugins' public pages."""
        return self._ask_for_all("register_routes", object, kernel=self)

    def commands(self) -> list[Any]:
        """Collect the plugins' words of the command line."""
        return self._ask_for_all("register_commands", object)

    def demo(self) -> Demo | None:
        """Return the demo that the first plugin with one brings."""
        return next(iter(self._ask("register_demo", Demo).values()), None)

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

    def write_records(self) -> None:
        """Write what calls have left to be written behind them.

        These are the audit's rows of calls that failed, and when credentials were last used.
        """
        try:
            self.audit.flush(self.store)
        finally:
            note_used(self.store, self.gate.take_used())

    def close(self) -> None:
        """Finish the work under way, then let go of the database."""
        # The server has waited `shutdown_grace` for what is under way; this is for the rest.
        for workers in (self._workers, self._writing, self._slow):
            workers.close(grace=1.0)
        self.ledger.close()
        self.store.close()

    def _ask(self, hook: str, kind: type, **given: Any) -> Mapping[str, Any]:
        """Ask a declaring hook of every plugin for a `kind`; answers by plugin."""
        return answers(
            self.hooks, self.plugins, hook, lambda answer: isinstance(answer, kind), **given
        )

    def _ask_for_all(self, hook: str, kind: type, **given: Any) -> list[Any]:
        """Ask a declaring hook of every plugin for several of a `kind`; answers in one list."""

        def fits(answer: Any) -> bool:
            return isinstance(answer, Sequence) and all(isinstance(each, kind) for each in answer)

        lists = answers(self.hooks, self.plugins, hook, fits, **given)
        return [each for answer in lists.values() for each in answer]

    def _collect_jobs(self) -> list[Job]:
        jobs: dict[str, Job] = {}
        for job in self._ask_for_all("register_jobs", Job):
            if job.name in jobs:
                raise PluginError(f"two jobs are called '{job.name}'")
            jobs[job.name] = job
        return list(jobs.values())

    def _read_sections(self) -> dict[str, Struct]:
        registered: dict[str, type[Struct]] = {}
        owners: dict[str, str] = {}
        found = answers(self.hooks, self.plugins, "register_settings", _are_sections)
        for plugin, answer in found.items():
            for name, section in _named_sections(plugin, answer).items():
                if name in owners:
                    raise PluginError(
                        f"plugin '{plugin}': the settings [{name}] are those of '{owners[name]}'"
                    )
                registered[name], owners[name] = section, plugin
        for name in self.settings.plugins:
            if name not in registered:
                raise SettingsError(f"there is no plugin with settings called '{name}'")
        return {
            name: read_section(section, name, self.settings.plugins.get(name, {}))
            for name, section in registered.items()
        }

    def _settings_by_type(self) -> dict[type[Struct], Struct]:
        sections = {type(section): section for section in self.sections.values()}
        return {Settings: self.settings, **sections}

    def _method_table(self) -> tuple[MethodTable, dict[str, ParamsReader[Struct]]]:
        """Collect the methods, and compile the readers of their parameters."""
        table = MethodTable()
        readers: dict[str, ParamsReader[Struct]] = {}
        versions = {plugin.name: plugin.version for plugin in self.plugins}
        for name, group in self._ask("register_methods", MethodGroup).items():
            for method in group.methods:
                try:
                    table.add(self._finished(method, name, versions[name]))
                    readers[method.name] = params_reader(method)
                except (ValueError, TypeError) as error:
                    raise PluginError(f"plugin '{name}': {error}") from error
        return table, readers

    def _finished(self, method: Method, plugin: str, version: str) -> Method:
        bounds = self._bounded(method.bounds)
        return msgspec.structs.replace(method, plugin=plugin, version=version, bounds=bounds)

    def _bounded(self, bounds: Bounds) -> Bounds:
        most = self.settings.max_body
        size = most if bounds.size is None else min(bounds.size, most)
        return msgspec.structs.replace(bounds, size=size)

    def _authenticate(self, credential: Credential) -> Actor | None:
        with self.store.session() as session:
            actor = self.hooks.hook.authenticate(
                credential=credential, session=session, now=self.now()
            )
        if actor is not None and not isinstance(actor, Actor):
            raise TypeError(f"authenticate answered {type(actor).__name__}, not an Actor")
        return actor

    def _announce(self, request: Any, actor: Any, reply: Any, crash: Any) -> None:
        """Tell every observer, each behind a fence of its own.

        pluggy would let one that raises silence the others.
        """
        told = {"request": request, "actor": actor, "reply": reply, "crash": crash}
        for impl in self._observers:
            try:
                impl.function(*[told[name] for name in impl.argnames])
            except Exception as fault:  # noqa: BLE001 - see above
                error = type(fault).__name__
                structlog.get_logger().error(
                    "observer_failed", plugin=impl.plugin_name, error=error
                )

    @functools.cached_property
    def _observers(self) -> list[pluggy.HookImpl]:
        return list(reversed(self.hooks.hook.call_finished.get_hookimpls()))


def _store(settings: Settings) -> Store:
    try:
        return Store(settings.database, connections=3 * settings.threads + 1)
    except (ArgumentError, ImportError) as error:
        # The URL itself stays out of the text: it may hold a password.
        raise SettingsError(
            "database_url: must be a URL such as postgresql://user@host/name"
        ) from error


def _are_sections(answer: Any) -> bool:
    return all(_is_section(section) for section in _named_sections("", answer).values())


def _named_sections(plugin: str, answer: Any) -> Mapping[str, Any]:
    """Name what `register_settings` answered: one section has the plugin's name."""
    return answer if isinstance(answer, Mapping) else {plugin: answer}


def _is_section(answer: Any) -> bool:
    """A section is a Struct type whose fields all have defaults."""
    if not (isinstance(answer, type) and issubclass(answer, Struct)):
        return False
    return not any(field.required for field in msgspec.structs.fields(answer))
