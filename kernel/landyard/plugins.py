"""Plugins: imported, checked and asked for what they bring, each by itself and within a time."""

import importlib
import inspect
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Generic, TypeVar

import msgspec
import pluggy
from msgspec import Struct

from landyard import hookspecs
from landyard.discovery import GROUP, NO_REQUIRES, Found
from landyard.hookspecs import Demo
from landyard.jobs import Job
from landyard.methods import Method, MethodGroup, MethodTable
from landyard.params import ParamsReader, params_reader
from landyard.schema import Tables
from landyard.seats import interrupt
from landyard.settings import read_section
from landyard.world import WorldList

T = TypeVar("T")

Written = Mapping[str, Mapping[str, Any]]
"""The sections of `landyard.toml`, as they were written."""


class PluginError(Exception):
    """A plugin cannot be used; the text names the plugin and what to do."""


class Plugin(Struct, frozen=True):
    """A plugin by name: the object with its hooks, and the distribution that ships it."""

    name: str
    module: Any
    distribution: str = "landyard"

    @property
    def version(self) -> str:
        """The version of the distribution."""
        return self.distribution.partition(" ")[2]

    @property
    def requires(self) -> Sequence[str]:
        """The names of the plugins this one is built on: its module's `requires`."""
        return tuple(getattr(self.module, "requires", ()))


class Contribution(Struct, frozen=True):
    """What a plugin brings, asked once: its methods with their readers, its settings as read, …"""

    plugin: Plugin
    methods: tuple[Method, ...] = ()
    readers: Mapping[str, ParamsReader[Struct]] = {}
    sections: Mapping[str, Struct] = {}
    tables: Tables | None = None
    lists: tuple[WorldList, ...] = ()
    jobs: tuple[Job, ...] = ()
    demo: Demo | None = None


def import_plugin(found: Found) -> Plugin:
    """Import a plugin's module; raises `PluginError`, whatever the module does."""
    name, _, attribute = found.value.partition(":")
    try:
        module = importlib.import_module(name.strip())
        for part in filter(None, attribute.strip().split(".")):
            module = getattr(module, part)
    except BaseException as error:
        raise PluginError(f"it cannot be imported: {described(error)}") from error
    plugin = Plugin(found.name, module, found.shipped_by)
    _compare(plugin, found)
    return plugin


def contribution(
    plugin: Plugin, written: Written, finished: Callable[[Method], Method] = lambda method: method
) -> Contribution:
    """Check a plugin's hooks and ask those that declare.

    Each method goes through `finished`. Raises `PluginError`, or `SettingsError` for what an
    operator wrote.
    """
    hooks = _registered(plugin)
    group = _asked(hooks, "register_methods", lambda answer: isinstance(answer, MethodGroup))
    methods = tuple(finished(method) for method in group.methods) if group else ()
    sections = _asked(hooks, "register_settings", _are_sections)
    return Contribution(
        plugin,
        methods,
        _readers(methods),
        _read(plugin.name, sections, written),
        _checked(_asked(hooks, "register_tables", lambda answer: isinstance(answer, Tables))),
        tuple(_asked(hooks, "register_world", _several(WorldList)) or ()),
        _singled(_asked(hooks, "register_jobs", _several(Job)) or ()),
        _asked(hooks, "register_demo", lambda answer: isinstance(answer, Demo)),
    )


def asked_for_several(plugin: Plugin, hook: str, kind: type, **given: Any) -> list[Any]:
    """Ask one hook of one plugin for several of a `kind`; raises `PluginError`."""
    return list(_asked(_registered(plugin), hook, _several(kind), **given) or ())


class Loading(Generic[T]):
    """`work` that gets a plugin ready, in a thread of its own, and the time it has for it.

    A thread cannot be ended: one that hangs is left behind, and nobody waits for it.
    """

    def __init__(self, work: Callable[[], T], seconds: float) -> None:
        """Begin."""
        self._work = work
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._done: list[T] = []
        self._failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, name="landyard-load", daemon=True)
        self._thread.start()

    def ready(self, patience: float = 0.2) -> bool:
        """Tell whether it is done, or its time is up, after `patience` seconds at most."""
        self._thread.join(patience)
        return not self._thread.is_alive() or time.monotonic() >= self._until

    def result(self) -> T:
        """Wait for what `work` returns; raises what it raises, or `PluginError` for the time."""
        self._thread.join(max(0.0, self._until - time.monotonic()))
        if self._failed:
            error = self._failed[0]
            # What is no `Exception` would end the process of whoever waits.
            raise error if isinstance(error, Exception) else PluginError(described(error))
        if not self._done:
            if self._thread.is_alive():
                interrupt(self._thread.ident or 0)  # where it computes, it would for ever
            raise PluginError(f"not ready after {self._seconds:g} s (plugins.import_seconds)")
        return self._done[0]

    def _run(self) -> None:
        try:
            self._done.append(self._work())
        except BaseException as error:  # noqa: BLE001 - whoever waits is told
            self._failed.append(error)


def described(error: BaseException) -> str:
    """Name an error in one line, e.g. `ZeroDivisionError: division by zero`."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _compare(plugin: Plugin, found: Found) -> None:
    """Refuse requirements that the source does not show: nobody knows of them while it is off."""
    try:
        hidden = sorted(set(plugin.requires) - set(found.requires))
    except TypeError as error:
        raise PluginError(NO_REQUIRES) from error
    if hidden:
        raise PluginError(
            f"it requires {', '.join(map(repr, hidden))}, which its source does not show:"
            f" write `requires` out at the top of its module"
        )


def _registered(plugin: Plugin) -> pluggy.PluginManager:
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    _refuse_coroutines(plugin)
    try:
        manager.register(plugin.module, name=plugin.name)
        manager.check_pending()
    except (pluggy.PluginValidationError, ValueError) as error:
        raise PluginError(" ".join(str(error).split())) from error
    return manager


def _refuse_coroutines(plugin: Plugin) -> None:
    """Refuse coroutines: pluggy takes one, and it is true, an open door for `authenticate`.

    Wrappers are refused as well: each plugin's hooks are called by themselves.
    """
    names = vars(plugin.module) if isinstance(plugin.module, ModuleType) else dir(plugin.module)
    for name in list(names):
        function = getattr(plugin.module, name, None)
        options = getattr(function, f"{GROUP}_impl", None)
        if options is None:
            continue
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise PluginError(f"hook {name} is `async def`; hooks are plain functions")
        if options.get("wrapper") or options.get("hookwrapper"):
            raise PluginError(f"hook {name} is a wrapper; hooks are plain functions")


def _asked(
    hooks: pluggy.PluginManager, hook: str, fits: Callable[[Any], bool], **given: Any
) -> Any:
    """Ask a hook, and check the answer; None where the plugin has no such hook."""
    try:
        answers = getattr(hooks.hook, hook)(**given)
    except BaseException as error:
        raise PluginError(f"{hook} failed: {described(error)}") from error
    if not answers:
        return None
    if not fits(answers[0]):
        raise PluginError(f"{hook} answered what it does not take")
    return answers[0]


def _several(kind: type) -> Callable[[Any], bool]:
    def fits(answer: Any) -> bool:
        return isinstance(answer, Sequence) and all(isinstance(each, kind) for each in answer)

    return fits


def _readers(methods: Sequence[Method]) -> Mapping[str, ParamsReader[Struct]]:
    table = MethodTable()
    try:
        for method in methods:
            table.add(method)
        return {method.name: params_reader(method) for method in methods}
    except (ValueError, TypeError) as error:
        raise PluginError(str(error)) from error


def _read(name: str, answer: Any, written: Written) -> Mapping[str, Struct]:
    sections = {} if answer is None else _named_sections(name, answer)
    return {key: read_section(kind, key, written.get(key, {})) for key, kind in sections.items()}


def _checked(tables: Tables | None) -> Tables | None:
    if tables is not None:
        if not (tables.branch.isidentifier() and tables.branch.islower()):
            raise PluginError(f"tables: '{tables.branch}' must be lower-case letters, digits and _")
        if not tables.migrations.is_dir():
            raise PluginError(f"tables: there is no folder {tables.migrations.name} of migrations")
    return tables


def _singled(jobs: Sequence[Job]) -> tuple[Job, ...]:
    names = [job.name for job in jobs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise PluginError(f"two of its jobs are called '{twice.pop()}'")
    return tuple(jobs)


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
