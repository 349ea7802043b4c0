"""The line-up: what is on at one moment. A change makes another one; calls finish on theirs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pluggy
from msgspec import Struct

from landyard import hookspecs
from landyard.discovery import GROUP
from landyard.hookspecs import Demo
from landyard.jobs import Job
from landyard.listing import Listing
from landyard.methods import MethodTable
from landyard.params import ParamsReader
from landyard.plugins import Contribution, Plugin, PluginError
from landyard.settings import Settings
from landyard.states import PluginState
from landyard.world import WorldList

KERNEL = "kernel"


class Hook(Struct, frozen=True):
    """A hook of a plugin; `alone` where it brings no method whose call could end a quarantine."""

    plugin_name: str
    function: Callable[..., object]
    argnames: Sequence[str]
    alone: bool


class Lineup:
    """The methods, settings, jobs and hooks of the plugins that are on.

    It is put together with `take`, finished with `close`, and never changes after that.
    """

    def __init__(self, settings: Settings, off: frozenset[str] = frozenset()) -> None:
        """Start empty; the methods named in `off`, in lower case, are left out."""
        self.contributions: list[Contribution] = []
        self.states: list[PluginState] = []
        self.methods = MethodTable()
        self.readers: dict[str, ParamsReader[Struct]] = {}
        self.listing = Listing(self.methods)
        self.sections: dict[str, Struct] = {}
        self.settings: dict[type[Struct], Struct] = {Settings: settings}
        self.jobs: dict[str, tuple[str, Job]] = {}
        self.authenticators: Sequence[Hook] = ()
        self.mappers: Sequence[Hook] = ()
        self.own_observers: Sequence[Callable[..., object]] = ()
        self.observers: Sequence[Hook] = ()
        self._off = off
        self._owners: dict[str, str] = {}

    @property
    def plugins(self) -> list[Plugin]:
        """The plugins that are on, in the order they are asked in."""
        return [each.plugin for each in self.contributions]

    @property
    def names(self) -> frozenset[str]:
        """The names of the plugins that are on."""
        return frozenset(plugin.name for plugin in self.plugins)

    @property
    def lists(self) -> list[WorldList]:
        """The lists of the world file."""
        return [each for contribution in self.contributions for each in contribution.lists]

    @property
    def demo(self) -> Demo | None:
        """The demo that the first plugin with one brings."""
        return next((each.demo for each in self.contributions if each.demo is not None), None)

    def take(self, contribution: Contribution) -> None:
        """Add what a plugin brings; raises `PluginError`, and adds nothing, where it is taken."""
        name = contribution.plugin.name
        methods = [each for each in contribution.methods if each.name.lower() not in self._off]
        claims = _claims(contribution)
        for claim, said in claims.items():
            if claim in self._owners:
                raise PluginError(f"{said} is already brought by plugin '{self._owners[claim]}'")
        self._owners |= dict.fromkeys(claims, name)
        for method in methods:
            self.methods.add(method)
            self.readers[method.name] = contribution.readers[method.name]
        self.sections |= contribution.sections
        self.settings |= {type(section): section for section in contribution.sections.values()}
        self.jobs |= {job.name: (name, job) for job in contribution.jobs}
        self.contributions.append(contribution)

    def close(self) -> None:
        """Collect the hooks that are called again and again; the first plugin is asked first."""
        manager = pluggy.PluginManager(GROUP)
        manager.add_hookspecs(hookspecs)
        for plugin in reversed(self.plugins):  # pluggy calls last in, first out
            manager.register(plugin.module, name=plugin.name)
        self.authenticators = self._hooks(manager.hook.authenticate)
        self.mappers = self._hooks(manager.hook.map_error)
        observers = self._hooks(manager.hook.call_finished)
        # The kernel's own one has every argument, and the answer may wait for it.
        self.own_observers = [each.function for each in observers if each.plugin_name == KERNEL]
        self.observers = [each for each in observers if each.plugin_name != KERNEL]

    def _hooks(self, caller: pluggy.HookCaller) -> list[Hook]:
        called = {method.plugin for method in self.methods}
        return [
            Hook(each.plugin_name, each.function, each.argnames, each.plugin_name not in called)
            for each in reversed(caller.get_hookimpls())
        ]


def _claims(contribution: Contribution) -> Mapping[Any, str]:
    """Name what no two plugins may bring, with the words for it."""
    claims: dict[Any, str] = {("plugin", id(contribution.plugin.module)): "its module"}
    for method in contribution.methods:
        claims["method", method.name.lower()] = f"method {method.name}"
    for section in contribution.sections:
        claims["section", section] = f"the settings section [{section}]"
    for job in contribution.jobs:
        claims["job", job.name] = f"job '{job.name}'"
    if contribution.tables is not None:
        claims["branch", contribution.tables.branch] = f"branch {contribution.tables.branch}"
    return claims
