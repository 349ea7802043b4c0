"""Imports a plugin, checks it, and asks its hooks once for what the plugin brings."""

import functools
import inspect
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pluggy
from msgspec import Struct

from landyard import hooks
from landyard.core.calls import CallOption
from landyard.core.errors import MissingParams, WrongType
from landyard.core.events import Event
from landyard.core.method_group import MethodGroup
from landyard.core.methods import Hook, Method, MethodTable
from landyard.hooks import Demo, Job, Record, Subscriber
from landyard.plugin_host.discovery import GROUP, Found
from landyard.plugin_host.params import ParamsReader
from landyard.plugin_host.typed_readers import require_written
from landyard.settings import SettingsError, read_section, suggestion
from landyard.storage import models
from landyard.storage.models import ModelError
from landyard.storage.schema import Tables, is_in
from landyard.storage.world import WorldList

Written = Mapping[str, Mapping[str, Any]]
"""The sections of `landyard.toml`, as they were written."""

# The hook specifications are parsed once, and not again for each plugin.
_SPECIFIED = functools.cache(pluggy.PluginManager(GROUP).parse_hookspec_opts)


class PluginError(Exception):
    """A plugin cannot be used; the text says why and what to do."""


class Plugin(Struct, frozen=True):
    """A plugin by name: the object with its hooks, the distribution that ships it, its version."""

    name: str
    module: Any
    distribution: str = "landyard"
    version: str = ""

    @property
    def requires(self) -> tuple[str, ...]:
        """The names of the plugins this one is built on: its module's `requires`."""
        return tuple(getattr(self.module, "requires", ()))

    @property
    def call_options(self) -> tuple[str, ...]:
        """The names of the call options that it brings: its module's `call_options`."""
        return tuple(getattr(self.module, "call_options", ()))


class _Manager(pluggy.PluginManager):
    """pluggy examines each name of a plugin, which takes its time: here what may be a hook."""

    parse_hookspec_opts = staticmethod(_SPECIFIED)

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        other = inspect.ismodule(plugin) and not inspect.isroutine(vars(plugin).get(name))
        if other or name.startswith("__"):
            return None
        return super().parse_hookimpl_opts(plugin, name)


class Contribution(Struct, frozen=True):
    """The answers of a plugin, asked once: methods with their readers, settings as read, …

    `asked` calls the plugin's further hooks. `keeper` is the object that `register_hooks` answered.
    `hooks` has the hooks of the module and of the object, by name.
    """

    plugin: Plugin
    asked: pluggy.PluginManager
    methods: tuple[Method, ...] = ()
    readers: Mapping[str, ParamsReader[Struct]] = {}
    sections: Mapping[str, Struct] = {}
    tables: Tables | None = None
    lists: tuple[WorldList, ...] = ()
    records: tuple[Record, ...] = ()
    jobs: tuple[Job, ...] = ()
    options: tuple[CallOption, ...] = ()
    subscribers: tuple[Subscriber, ...] = ()
    events: tuple[str, ...] = ()  # the topics of those that its module defines, or its package
    demo: Demo | None = None
    failure_style: str = ""
    hooks: Mapping[str, Sequence[Hook]] = {}
    keeper: Any = None
    meter: Any = None


def import_plugin(found: Found) -> Plugin:
    """Import a plugin's module; raises `PluginError`, whatever the module does."""
    name = found.value.partition(":")[0]
    try:
        with models.importing(found.name, name):
            module = EntryPoint(found.name, found.value, GROUP).load()
    except ModelError as error:
        raise PluginError(str(error)) from error
    except BaseException as error:
        told = models.taken(error, found.name) or f"it cannot be imported: {described(error)}"
        raise PluginError(f"{told}{_place(error, name)}") from error
    plugin = Plugin(found.name, module, found.distribution, found.version)
    # Discovery reads these from the source, without an import: both must be the same.
    if getattr(module, "requires", ()) not in (found.requires, list(found.requires)):
        raise PluginError(
            "its `requires` must be a tuple of plugins' names, written out at the top of its"
            " module, such as ('landing',)"
        )
    if getattr(module, "call_options", ()) not in (found.call_options, list(found.call_options)):
        raise PluginError(
            "its `call_options` must be a tuple of names, written out at the top of its module"
        )
    return plugin


def check_models(plugin: Plugin) -> None:
    """Configure the models of a plugin that has been asked; `PluginError` for models of no use."""
    try:
        models.configure(getattr(plugin.module, "__name__", plugin.name))
    except ModelError as error:
        raise PluginError(str(error)) from error


def contribution(
    plugin: Plugin, written: Written, finished: Callable[[Method], Method] = lambda method: method
) -> Contribution:
    """Check a plugin's hooks and ask those that declare; each method goes through `finished`.

    `with_kept` asks those that need a kernel. Raises `PluginError`, or `SettingsError`.
    """
    asked = _registered(plugin.module, plugin.name)
    groups = several(asked, "register_methods", MethodGroup)
    methods = tuple(finished(method) for group in groups for method in group.methods)
    return Contribution(
        plugin=plugin,
        asked=asked,
        methods=methods,
        readers=_readers(methods),
        sections=_sections(plugin.name, asked, written),
        tables=_tables(asked),
        lists=tuple(several(asked, "register_world", WorldList)),
        records=tuple(
            msgspec.structs.replace(each, plugin=plugin.name)
            for each in several(asked, "register_records", Record)
        ),
        jobs=tuple(several(asked, "register_jobs", Job)),
        options=_options(plugin, asked),
        subscribers=tuple(several(asked, "register_subscribers", Subscriber)),
        events=_events(plugin.module),
        demo=_asked(asked, "register_demo", Demo),
        failure_style=_asked(asked, "register_failure_style", str) or "",
        hooks=_called_hooks(plugin.name, asked),
    )


def with_kept(brought: Contribution, kernel: object) -> Contribution:
    """Ask for the object with the plugin's other hooks, and for a meter; raises `PluginError`."""
    name = brought.plugin.name
    keeper = _asked(brought.asked, "register_hooks", object, host=kernel)
    if keeper is None:
        return brought
    kept = _registered(keeper, name)
    if keeper is not brought.plugin.module:
        # The object may have hooks that are called later, such as `register_routes`.
        brought.asked.register(keeper, f"{name}'s object")
    meter = _asked(kept, "register_meter", object)
    if meter is not None and not hasattr(meter, "spend"):
        raise PluginError("register_meter answered what cannot spend")
    found = dict(brought.hooks)
    for hook, functions in _called_hooks(name, kept).items():
        found[hook] = [*found.get(hook, ()), *functions]
    return msgspec.structs.replace(brought, keeper=keeper, meter=meter, hooks=found)


def is_async(function: Any) -> bool:
    """Tell whether what it returns would have to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def described(error: BaseException) -> str:
    """Name an error in one line, e.g. `ZeroDivisionError: division by zero`."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place(error: BaseException, package: str) -> str:
    """Say where in a package an error was raised, e.g. ` (methods.py, line 12)`, where it was."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if f"{frame.f_globals.get('__name__', '')}.".startswith(f"{package}."):
            place = _line(frame.f_code.co_filename, line)
    return place


def _line(file: str, number: int) -> str:
    return f" ({Path(file).name}, line {number})"


def _called_hooks(plugin: str, asked: pluggy.PluginManager) -> dict[str, Sequence[Hook]]:
    """Collect the hooks that are called again and again: all but those that declare."""
    return {
        name: [Hook(plugin, name, each.function, each.argnames) for each in found]
        for name, caller in vars(asked.hook).items()
        if not name.startswith("register_") and (found := caller.get_hookimpls())
    }


def _registered(module: Any, name: str) -> pluggy.PluginManager:
    manager = _Manager(GROUP)
    manager.add_hookspecs(hooks)
    try:
        manager.register(module, name=name)
        manager.check_pending()
    except (pluggy.PluginValidationError, ValueError) as error:
        told = " ".join(str(error).split())
        if named := re.search(r"hook '(\w+)'", told):
            spec = getattr(hooks, named[1], None)
            takes = f"; it may take {', '.join(inspect.signature(spec).parameters)}" if spec else ""
            told += takes or suggestion(named[1], vars(hooks))
        raise PluginError(told) from error
    for caller in manager.get_hookcallers(module) or ():
        for each in caller.get_hookimpls():
            # pluggy takes a coroutine, and it is true: an open door for `authenticate`.
            if is_async(each.function):
                raise PluginError(f"hook {caller.name} is `async def`; hooks are plain functions")
            # Each plugin's hooks are called by themselves.
            if each.wrapper or each.hookwrapper:
                raise PluginError(f"hook {caller.name} is a wrapper; hooks are plain functions")
    return manager


def _asked(asked: pluggy.PluginManager, hook: str, kind: Any, **given: Any) -> Any:
    """Ask a hook for an answer of a `kind`; None where the plugin has no such hook."""
    try:
        answers = getattr(asked.hook, hook)(**given)
    except BaseException as error:
        raise PluginError(f"{hook} failed: {described(error)}") from error
    if answers and not isinstance(answers[0], kind):
        raise PluginError(f"{hook} answered what it does not take")
    return answers[0] if answers else None


def several(asked: pluggy.PluginManager, hook: str, kind: type = object, **given: Any) -> list[Any]:
    """Ask a hook for several objects of a `kind`; raises `PluginError`."""
    kinds = Sequence if kind is object else (Sequence, kind)
    answer: Any = _asked(asked, hook, kinds, **given) or ()
    answers = list(answer) if isinstance(answer, Sequence) else [answer]
    if not all(isinstance(each, kind) for each in answers):
        raise PluginError(f"{hook} answered what it does not take")
    for each in answers:
        called: Any = getattr(each, "work", None) or getattr(each, "tell", None)
        if is_async(called):
            raise PluginError(f"{hook}: {called.__qualname__} is `async def`; write a plain `def`")
    return answers


def _readers(methods: Sequence[Method]) -> Mapping[str, ParamsReader[Struct]]:
    table, readers = MethodTable(), {}
    for method in methods:
        try:
            table.add(method)
            readers[method.name] = params_reader(method)
        except (ValueError, TypeError) as error:
            code = getattr(method.handler, "__code__", None)
            place = _line(code.co_filename, code.co_firstlineno) if code else ""
            raise PluginError(f"{error}{place}") from error
    return readers


def params_reader(method: Method) -> ParamsReader[Struct]:
    """Compile the reader of parameters; `TypeError` where a method cannot answer what is wrong."""
    try:
        reader = ParamsReader(method.params, lenient=not method.declares(WrongType))
        require_written(method.result)
    except TypeError as unreadable:
        raise TypeError(f"method {method.name}: {unreadable}") from unreadable
    needs = f"requires {', '.join(reader.required)}" if reader.required else ""
    refuses = "has parameters that can be of a wrong type" if reader.refuses else ""
    for error, why in ((MissingParams, needs), (WrongType, refuses)):
        if why and not method.declares(error):
            raise TypeError(
                f"method {method.name} {why}: it must declare {error.__name__} in its errors"
            )
    return reader


def _options(plugin: Plugin, asked: pluggy.PluginManager) -> tuple[CallOption, ...]:
    options = tuple(several(asked, "register_call_options", CallOption))
    if {each.name for each in options} != {*plugin.call_options}:
        raise PluginError(
            "register_call_options must bring the options that the module names in `call_options`"
        )
    for each in options:
        if taken := {"result", "time", "next", "total"}.intersection(each.answers):
            raise PluginError(f"call option '{each.name}': each answer has '{min(taken)}' already")
    return options


def _sections(name: str, asked: pluggy.PluginManager, written: Written) -> Mapping[str, Struct]:
    """Read a plugin's settings: one section has its name, several bring their names along."""
    answer = _asked(asked, "register_settings", type | Mapping)
    kinds = {} if answer is None else {name: answer} if isinstance(answer, type) else answer
    for kind in kinds.values():
        is_section = isinstance(kind, type) and issubclass(kind, Struct)
        if not is_section or any(field.required for field in msgspec.structs.fields(kind)):
            raise PluginError("register_settings answered no Struct whose fields have defaults")
    read, wrong = dict[str, Struct](), list[str]()
    for key, kind in kinds.items():
        try:
            read[key] = read_section(kind, key, written.get(key, {}))
        except SettingsError as error:
            wrong += error.args
    if wrong:
        raise SettingsError(*wrong, sections=kinds)
    return read


def _events(module: Any) -> tuple[str, ...]:
    """List the topics of the events that a plugin's module defines, or the modules in it."""
    name, topics, kinds = getattr(module, "__name__", ""), list[str](), [Event]
    while name and kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        defined = vars(inspect.getmodule(kind) or module).get(kind.__name__)
        if "topic" in vars(kind) and defined is kind and is_in(kind.__module__, name):
            topics.append(kind.topic)
    return tuple(topics)


def _tables(asked: pluggy.PluginManager) -> Tables | None:
    tables: Tables | None = _asked(asked, "register_tables", Tables)
    if tables is not None:
        if not (tables.branch.isidentifier() and tables.branch.islower()):
            raise PluginError(f"tables: '{tables.branch}' must be lower-case letters, digits and _")
        if not tables.migrations.is_dir():
            raise PluginError(f"tables: there is no folder {tables.migrations.name} of migrations")
    return tables
