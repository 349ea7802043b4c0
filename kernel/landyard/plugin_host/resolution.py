"""Decides which installed plugins are on, and builds one registry of what these bring."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from landyard.core.methods import Hook
from landyard.core.registry import Registry
from landyard.hooks import Demo, Job
from landyard.plugin_host.discovery import HOST, Found
from landyard.plugin_host.loading import Contribution, PluginError
from landyard.plugin_host.switches import PluginSettings, PluginState, State, Switches
from landyard.settings import Settings
from landyard.storage.world import WorldList


class Resolution:
    """The plugins that are on at one moment, how each installed one stands, and their registry."""

    def __init__(self, settings: Settings, rules: PluginSettings, off: frozenset[str]) -> None:
        """Start without plugins; the methods named in `off`, in lower case, are left out."""
        self.contributions: list[Contribution] = []  # in the order in which plugins are asked
        self.states: list[PluginState] = []
        self.registry = Registry({Settings: settings, PluginSettings: rules})
        self.sections: dict[str, Struct] = {"plugins": rules}
        self.jobs: dict[str, tuple[str, Job]] = {}
        self.lists: list[WorldList] = []
        self.demo: Demo | None = None  # the first plugin's with one; so are the next two
        self.failure_style = ""
        self.meter: Any = None
        self._off = off
        self._owners: dict[Any, str] = {("section", "plugins"): "landyard"}

    def add(self, contribution: Contribution) -> None:
        """Add what a plugin brings; raises `PluginError`, and adds nothing, where it is taken."""
        name = contribution.plugin.name
        owners = dict(self._owners)
        for claim, said in _claims(contribution):
            if claim in owners:
                raise PluginError(f"{said} is already brought by plugin '{owners[claim]}'")
            owners[claim] = name
        records = {kind: dict(known) for kind, known in self.registry.records.items()}
        for record in contribution.records:
            records.setdefault(type(record), {})[record.key] = record
        for record in contribution.records:
            record.check(records)
        self._owners = owners
        self.registry.records = records
        for method in contribution.methods:
            if method.name.lower() not in self._off:
                self.registry.methods.add(method)
                self.registry.readers[method.name] = contribution.readers[method.name]
        for hook, functions in contribution.hooks.items():
            self.registry.hooks.setdefault(hook, []).extend(functions)
        for each in contribution.subscribers:
            told = f"subscriber {each.name or each.event.__name__}"
            heard = self.registry.subscribers.setdefault(each.event, [])
            heard.append(Hook(name, told, each.tell, ("unit", "event")))
        self.registry.options |= {each.name: each for each in contribution.options}
        self.registry.kept.append(contribution.keeper)
        self.sections |= contribution.sections
        self.registry.settings |= {type(each): each for each in contribution.sections.values()}
        self.jobs |= {job.name: (name, job) for job in contribution.jobs}
        self.lists += contribution.lists
        self.demo = self.demo or contribution.demo
        self.failure_style = self.failure_style or contribution.failure_style
        self.meter = self.meter or contribution.meter
        self.contributions.append(contribution)


def in_order(plugins: Iterable[Found]) -> list[Found]:
    """Sort plugins by name, each behind the plugins that it requires.

    Those that came with Landyard are first: no other package takes a method's name from one.
    """
    waiting = sorted(plugins, key=lambda one: (bool(one.unfit), one.distribution != HOST, one.name))
    ordered: list[Found] = []
    while waiting:
        names = {plugin.name for plugin in waiting}
        # If no plugin is ready, some plugins require each other in a cycle. Each plugin in the
        # cycle fails, and its reason names a plugin that it requires.
        ready = (each for each in waiting if not names.intersection(each.requires) - {each.name})
        ordered.append(next(ready, waiting[0]))
        waiting.remove(ordered[-1])
    return ordered


def wanted_state(
    plugin: Found,
    settings: Settings,
    rules: PluginSettings,
    switches: Switches | None,
    known: Mapping[str, State] | None = None,
) -> tuple[State, str]:
    """Say whether a plugin is to be on, and why not, by what is known without importing it.

    With `known`, the states of the plugins before it, each plugin that it requires must be on, too.
    """
    switch = switches.switches.get(plugin.name) if switches else None
    is_on = not plugin.contrib if switch is None else switch.is_on
    reason = ""
    if settings.safe:
        reason = "the service runs with --safe"
    elif switches is None:
        reason = "the database does not say whether it is on"
    elif plugin.name.lower() in map(str.lower, rules.off):
        reason = "off in the settings (plugins.off)"
    elif not is_on and plugin.name.lower() not in map(str.lower, rules.on):
        reason = "off until it is switched on" if switch is None else "switched off"
    if reason:
        return "disabled", reason
    if plugin.unfit:
        return "failed", plugin.unfit
    for need in plugin.requires:
        state = "enabled" if known is None else known.get(need)
        if state is None:
            return "failed", f"it requires '{need}': not installed, or a circle"
        if state != "enabled":
            return state, f"it requires '{need}', which is {state}"
    return "enabled", ""


def off_methods(rules: PluginSettings, switches: Switches | None) -> frozenset[str]:
    """Name the methods that are off by themselves, in lower case."""
    rows = switches.switches if switches else {}
    off = frozenset(name.lower() for name, switch in rows.items() if not switch.is_on)
    return off - frozenset(map(str.lower, rules.on)) | frozenset(map(str.lower, rules.off))


def _claims(contribution: Contribution) -> Iterator[tuple[Any, str]]:
    for name in [name for method in contribution.methods for name in method.named]:
        yield ("method", name.lower()), f"method {name}"
    for section in contribution.sections:
        yield ("section", section), f"the settings section [{section}]"
    for job in contribution.jobs:
        yield ("job", job.name), f"job '{job.name}'"
    for option in contribution.options:
        yield ("option", option.name), f"call option '{option.name}'"
        yield ("header", option.header), f"the header of call option '{option.name}'"
        for key in option.answers:
            yield ("answer", key), f"the key '{key}' of answers"
    for record in contribution.records:
        yield (type(record), record.key), f"{type(record).__name__} '{record.key}'"
    for name in filter(None, (each.name for each in contribution.subscribers)):
        yield ("subscriber", name), f"subscriber '{name}'"
    for topic in contribution.events:
        yield ("event", topic), f"event {topic}"
    if contribution.tables is not None:
        yield ("branch", contribution.tables.branch), f"branch {contribution.tables.branch}"
