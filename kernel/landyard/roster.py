"""The roster: every installed plugin, whether it is to be on, and what became of it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from msgspec import Struct, structs

from landyard.discovery import HOST, Found, found
from landyard.lineup import Lineup
from landyard.plugins import Contribution, Loading, Plugin, PluginError, described
from landyard.settings import Settings, SettingsError
from landyard.states import PluginSettings, PluginState, State, Switch, Switches
from landyard.wording import fit

Load = Callable[[Found, Plugin | None], Contribution]


class Failure(Struct, frozen=True):
    """Why a plugin failed, and when: a switch that is newer is a reason to try it once more."""

    reason: str
    at: datetime


class Roster:
    """Loads each plugin at most once, and makes line-ups of those that are to be on."""

    def __init__(
        self,
        settings: Settings,
        rules: PluginSettings,
        own: Contribution,
        plugins: Sequence[Plugin] | None,
        *,
        load: Load,
        now: Callable[[], datetime],
    ) -> None:
        """List `plugins`, or those that are installed; `own` is what the kernel brings."""
        given = [] if plugins is None else [_found(*each) for each in enumerate(plugins)]
        self._given = dict(zip(given, plugins or (), strict=True))
        self.installed = in_order(found() if plugins is None else _singled(given))
        self._settings = settings
        self._rules = rules
        self._own = own
        self._load = load
        self._now = now
        self._loaded: dict[Found, Contribution] = {}
        self._loading: dict[Found, Loading[Contribution]] = {}
        self._failed: dict[Found, Failure] = {}
        self._tried: dict[Found, Switch] = {}  # again, because of these
        self.loading = False

    def line_up(self, switches: Switches | None, *, live: bool = False) -> Lineup:
        """Make the line-up that `switches` ask for; with None nothing but the kernel is on.

        What fails has its reason in the line-up's `states`. Raises `SettingsError` for a section
        that is wrong, unless the service is `live` already: then nobody waits for a plugin that
        is not loaded yet either, and where one is wanted that was not ready, `loading` is true.
        """
        self.loading = False
        lineup = Lineup(self._settings, off_methods(self._rules, switches))
        lineup.take(self._own)
        stands: dict[str, State] = {}
        for plugin in self.installed:
            state, reason = standing(plugin, self._settings, self._rules, switches)
            if state == "enabled":
                state, reason = upheld(plugin.requires, stands)
            if state == "enabled":
                self._forget_failure(plugin, switches)
                state, reason = self._take(plugin, lineup, stands, live=live)
            stands.setdefault(plugin.name, state)
            lineup.states.append(self._state(plugin, state, reason))
        lineup.close()
        return lineup

    def fail(
        self, name: str, reason: str, *, version: str | None = None, at: datetime | None = None
    ) -> bool:
        """Note that a plugin, of this `version` if one is named, cannot be used, since `at`.

        Tells whether there is one.
        """
        failed = [
            plugin
            for plugin in self.installed
            if plugin.name == name and version in {None, plugin.version} and not plugin.unfit
        ]
        for plugin in failed:
            self._failed[plugin] = Failure(reason, at or self._now())
        return bool(failed)

    @property
    def ours(self) -> frozenset[str]:
        """The names of the plugins that Landyard itself ships."""
        return frozenset(each.name for each in self.installed if each.distribution == HOST)

    def loaded(self) -> Iterable[Contribution]:
        """Go through what was loaded in this process, on or not."""
        return list(self._loaded.values())

    def _take(
        self, plugin: Found, lineup: Lineup, stands: dict[str, State], *, live: bool
    ) -> tuple[State, str]:
        """Load a plugin, unless that was done, and add it to a line-up."""
        if plugin in self._failed:
            return "failed", self._failed[plugin].reason
        if plugin not in self._loaded:
            loading = self._loading.get(plugin) or self._begin(plugin)
            if live and not loading.ready():
                self._loading[plugin] = loading
                self.loading = True
                return "disabled", "being loaded"
            self._loading.pop(plugin, None)
            try:
                self._loaded[plugin] = loading.result()
            except Exception as error:
                if isinstance(error, SettingsError) and not live:
                    raise
                known = isinstance(error, PluginError | SettingsError)
                self._failed[plugin] = Failure(
                    str(error) if known else described(error), self._now()
                )
                return "failed", self._failed[plugin].reason
        brought = self._loaded[plugin]
        state, reason = upheld(brought.plugin.requires, stands)
        if state == "enabled":
            try:
                lineup.take(brought)
            except PluginError as error:
                return "failed", str(error)
        return state, reason

    def _begin(self, plugin: Found) -> Loading[Contribution]:
        given = self._given.get(plugin)
        return Loading(lambda: self._load(plugin, given), self._rules.import_seconds)

    def _forget_failure(self, plugin: Found, switches: Switches | None) -> None:
        failure = self._failed.get(plugin)
        switch = switches.switches.get(plugin.name) if switches else None
        if failure is None or switch is None or switch.changed_at <= failure.at:
            return
        # Once: a switch dated ahead, by another host's clock, is newer than all that follows on it.
        if self._tried.get(plugin) != switch:
            self._tried[plugin] = switch
            del self._failed[plugin]
            self._loaded.pop(plugin, None)

    def _state(self, plugin: Found, state: State, reason: str) -> PluginState:
        brought = self._loaded.get(plugin)
        names = sorted(method.name for method in brought.methods) if brought else ()
        return PluginState(
            fit(plugin.name),
            fit(plugin.version),
            fit(plugin.distribution),
            state,
            fit(reason),
            tuple(names),
        )


def in_order(plugins: Iterable[Found]) -> list[Found]:
    """Sort plugins so that each stands behind what it requires: ours first, by name otherwise."""
    waiting = sorted(
        plugins, key=lambda each: (bool(each.unfit), each.distribution != HOST, each.name)
    )
    ordered: list[Found] = []
    while waiting:
        names = {plugin.name for plugin in waiting}
        # Where none is ready they go round in a circle, and each will be told what it lacks.
        ready = (each for each in waiting if not names.intersection(each.requires) - {each.name})
        ordered.append(next(ready, waiting[0]))
        waiting.remove(ordered[-1])
    return ordered


def standing(
    plugin: Found, settings: Settings, rules: PluginSettings, switches: Switches | None
) -> tuple[State, str]:
    """Say whether a plugin is to be on, and why not, by what is known without importing it."""
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
    return ("failed", plugin.unfit) if plugin.unfit else ("enabled", "")


def upheld(requires: Iterable[str], stands: dict[str, State]) -> tuple[State, str]:
    """Say whether what a plugin requires is on; `stands` are those in front of it."""
    for need in requires:
        state = stands.get(need)
        if state is None:
            return "failed", f"it requires '{need}': not installed, or a circle"
        if state != "enabled":
            return state, f"it requires '{need}', which is {state}"
    return "enabled", ""


def off_methods(rules: PluginSettings, switches: Switches | None) -> frozenset[str]:
    """Name the methods that are off by themselves, in lower case."""
    rows = switches.switches if switches else {}
    off = [name for name, switch in rows.items() if not switch.is_on] + rules.off
    return frozenset(map(str.lower, off)) - frozenset(map(str.lower, rules.on))


def _found(number: int, plugin: Plugin) -> Found:
    """Describe a plugin that was given as an object."""
    distribution, _, version = plugin.distribution.partition(" ")
    unfit = "'kernel' is the name of Landyard's own part" if plugin.name == "kernel" else ""
    return Found(
        plugin.name,
        f"object {number}",
        distribution,
        version,
        requires=tuple(plugin.requires),
        unfit=unfit,
    )


def _singled(plugins: Iterable[Found]) -> list[Found]:
    names: set[str] = set()
    singled = []
    for plugin in plugins:
        taken = f"two plugins are called '{plugin.name}'" if plugin.name in names else plugin.unfit
        singled.append(structs.replace(plugin, unfit=taken))
        names.add(plugin.name)
    return singled
