"""Plugins: found by entry point, checked, registered in one fixed order."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

import pluggy
from msgspec import Struct

from landyard import hookspecs

GROUP = "landyard"


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


def installed() -> list[Plugin]:
    """Load every plugin of the entry-point group, sorted by name.

    pluggy's own loader silently skips the second of two entry points of one name; here that is a
    `PluginError`, and so is a plugin that cannot be imported.
    """
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        other = found.get(entry.name)
        # An editable install beside a wheel lists the same entry twice: that is one plugin.
        if other is not None and other.value != entry.value:
            raise PluginError(
                f"two plugins are called '{entry.name}': {other.value} ({_shipped_by(other)})"
                f" and {entry.value} ({_shipped_by(entry)}); uninstall one of them"
            )
        found[entry.name] = entry
    return [_load(entry) for entry in found.values()]


def in_order(plugins: Iterable[Plugin]) -> list[Plugin]:
    """Sort plugins so that each stands behind what it requires, by name otherwise."""
    waiting: dict[str, Plugin] = {}
    for plugin in sorted(plugins, key=lambda plugin: plugin.name):
        if plugin.name in waiting:
            raise PluginError(f"two plugins are called '{plugin.name}'")
        waiting[plugin.name] = plugin
    known = set(waiting)
    ordered: list[Plugin] = []
    while waiting:
        ready = [
            plugin
            for plugin in waiting.values()
            if all(need in known and need not in waiting for need in plugin.requires)
        ]
        if not ready:
            plugin = next(iter(waiting.values()))
            needs = ", ".join(
                need for need in plugin.requires if need in waiting or need not in known
            )
            raise PluginError(
                f"plugin '{plugin.name}' requires {needs}: not installed, or a circle"
            )
        ordered.append(ready[0])
        del waiting[ready[0].name]
    return ordered


def register(plugins: Sequence[Plugin]) -> pluggy.PluginManager:
    """Check the hooks of `plugins` and register them; the first given is the first asked."""
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    for plugin in reversed(plugins):  # pluggy calls last in, first out
        _refuse_coroutines(plugin)
        try:
            manager.register(plugin.module, name=plugin.name)
            manager.check_pending()
        except (pluggy.PluginValidationError, ValueError) as error:
            raise PluginError(f"{_named(plugin)}: {error}") from error
    return manager


def answers(
    manager: pluggy.PluginManager,
    plugins: Iterable[Plugin],
    hook: str,
    fits: Callable[[Any], bool],
    **given: Any,
) -> Mapping[str, Any]:
    """Ask a declaring hook of each plugin, in the order given, and keep who answered what.

    Raises `PluginError` for a hook that fails, or that answers something that does not fit.
    """
    replies: dict[str, Any] = {}
    for plugin in plugins:
        others = [other for name, other in manager.list_name_plugin() if name != plugin.name]
        caller = manager.subset_hook_caller(hook, others)
        try:
            for reply in caller(**given):
                replies[plugin.name] = reply
        except Exception as error:
            raise PluginError(f"{_named(plugin)}: {hook} failed: {error!r}") from error
        if plugin.name in replies and not fits(replies[plugin.name]):
            raise PluginError(f"{_named(plugin)}: {hook} answered what it does not take")
    return replies


def _load(entry: EntryPoint) -> Plugin:
    distribution = _shipped_by(entry)
    try:
        module = entry.load()
    except Exception as error:
        raise PluginError(
            f"plugin '{entry.name}' ({distribution}) cannot be imported:"
            f" {type(error).__name__}: {error}"
        ) from error
    return Plugin(entry.name, module, distribution)


def _refuse_coroutines(plugin: Plugin) -> None:
    """Refuse coroutines: pluggy takes one, and it is true, an open door for `authenticate`."""
    names = vars(plugin.module) if isinstance(plugin.module, ModuleType) else dir(plugin.module)
    for name in list(names):
        function = getattr(plugin.module, name, None)
        is_hook = getattr(function, f"{GROUP}_impl", None) is not None
        if is_hook and (
            inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        ):
            raise PluginError(
                f"{_named(plugin)}: hook {name} is `async def`; hooks are plain functions"
            )


def _named(plugin: Plugin) -> str:
    return f"plugin '{plugin.name}' ({plugin.distribution})"


def _shipped_by(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown distribution"
