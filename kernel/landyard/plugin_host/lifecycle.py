"""Loads a kernel's plugins, and switches them on and off while the kernel runs."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import structlog
from sqlalchemy.exc import DBAPIError

from landyard.core.calls import CallOption
from landyard.core.errors import OverloadLimit
from landyard.logs import fit
from landyard.plugin_host.aliases import aliases
from landyard.plugin_host.circuit_breaker import CircuitBreaker
from landyard.plugin_host.discovery import HOST, Found, found
from landyard.plugin_host.host_faults import is_host_fault
from landyard.plugin_host.loading import Contribution, Plugin, PluginError, described
from landyard.plugin_host.resolution import Resolution, in_order, off_methods, wanted_state
from landyard.plugin_host.switches import (
    PluginSettings,
    PluginState,
    State,
    Switches,
    keep_breaker,
    known_report,
    known_switches,
    read_switches,
    write_report,
)
from landyard.settings import Settings, SettingsError, suggestion
from landyard.storage import schema
from landyard.storage.schema import SchemaError
from landyard.storage.store import Store

log = structlog.get_logger()

Follower = Callable[[Resolution], Mapping[str, str]]


class Lifecycle:
    """Loads each plugin at most once, and resolves which are on whenever the switches change.

    `resolution` is what is on now; `breaker` refuses methods that hang or end their process.
    """

    def __init__(
        self,
        settings: Settings,
        rules: PluginSettings,
        plugins: Sequence[Plugin] | None,
        store: Store,
        *,
        others: bool = True,
        load: Callable[[Found, Plugin | None], Contribution],
        loading: Callable[..., object],
        left_out: Mapping[str, str],
        now: Callable[[], datetime],
        changed: Callable[[Resolution], object],
    ) -> None:
        """Start with those of `plugins` that are to be on, or of those installed.

        `changed` is told of each resolution that follows. `left_out` are plugins that cannot be
        loaded, with the reason. Raises `PluginError` where `settings.strict` and one has failed,
        and `SettingsError`.
        """
        self._settings = settings
        self._rules = rules
        self._given = {plugin.name: plugin for plugin in reversed(plugins or ())}
        installed = found() if plugins is None else [*map(_found, plugins)]
        theirs = [] if others else [each for each in installed if each.distribution != HOST]
        self._hidden = bool(theirs)  # there are plugins of which nothing is known here
        self._installed = in_order(each for each in installed if each not in theirs)
        self._store = store
        self._load, self._loading = load, loading
        self._now = now
        self._changed = changed
        # By name, on or not: only the first plugin of a name is ever loaded.
        self.loaded: dict[str, Contribution] = {}
        self._failed = dict(left_out)
        self._behind: dict[str, schema.Tables] = {}  # failed until `landyard db upgrade`
        self._wrong: list[str] = []  # settings
        self._claimed: frozenset[str] = frozenset()  # sections of plugins with wrong ones
        self._followers: list[Follower] = []
        self._changing = threading.RLock()  # a plugin that is asked for its routes may call
        self.breaker = CircuitBreaker(now)
        self._switches = known_switches(store)
        if self._switches is not None:
            self.breaker.learn(self._switches.breakers)
        self.resolution = self._resolve(self._switches, live=False)
        self._check_sections()
        self._judge(before=[])

    def prepare(self) -> None:
        """Make missing tables; a plugin fails if its tables are of another version.

        Raises `SchemaError` if the kernel's own tables cannot be used. With `settings.strict`, a
        plugin that fails raises `PluginError`.
        """
        schema.Schema([]).prepare(self._store)
        self.follow(self._make_tables)

    def refresh(self) -> None:
        """Take up what operators and other workers have changed, and tell them what happened here.

        Servers do so about twice a second. Raises the database's errors.
        """
        with self._changing:
            while self.breaker.changes:
                keep_breaker(self._store, *self.breaker.changes[0])
                self.breaker.changes.popleft()
            with self._store.unit(writes=False) as unit:
                switches = read_switches(unit.connection)
            last, upgraded = self._switches, self._upgraded()
            if switches == last and not upgraded:
                return
            self.breaker.learn(switches.breakers)
            for name in upgraded:
                del self._failed[name], self._behind[name]
            if upgraded or last is None or last.switches != switches.switches:
                self._change(last, switches)
            self._switches = switches

    def follow(self, follower: Follower) -> None:
        """Tell `follower` of today's resolution, and of each new one before it counts.

        It answers which plugins it has no use for, and why: those have failed.
        """
        with self._changing:
            if follower not in self._followers:
                self._followers.append(follower)
            if failed := follower(self.resolution):
                self._failed |= failed
                before = self.resolution.states
                self._settle(self._switches, live=False)
                self._judge(before)

    def write_report(self) -> None:
        """Keep how each plugin stands, for the command line and for after the service is down.

        A service with `--safe` runs no plugins, and writes no report. A report that the database
        already has is not written again: a worker must be able to start while the database is
        locked.
        """
        states, known = self.resolution.states, known_report(self._store)
        if not self._settings.safe and any(each not in known for each in states):
            write_report(self._store, states, self._now())

    def refuse_failed(self, name: str = "") -> None:
        """Raise `PluginError` where a plugin has failed, or that of a name; each has its reason."""
        states = [each for each in self.resolution.states if name in {"", each.name}]
        failed = [state for state in states if state.state == "failed"]
        whose = "plugin '{0.name}' ({0.distribution} {0.version}): {0.reason}"
        if failed:
            raise PluginError("; ".join(map(whose.format, failed)))

    def close(self) -> None:
        """Let the plugins' objects close what they have open."""
        for brought in self.loaded.values():
            _close(brought)

    def _settle(self, switches: Switches | None, *, live: bool) -> None:
        """Resolve again and again, until every follower can use it; then it counts."""
        while True:
            resolution = self._resolve(switches, live=live)
            for follower in self._followers:
                if failed := follower(resolution):
                    self._failed |= failed
                    break
            else:
                self.resolution = resolution
                self._changed(resolution)
                return

    def _resolve(self, switches: Switches | None, *, live: bool) -> Resolution:
        """Resolve what `switches` ask for; with None no plugin is on.

        Each plugin that fails has its reason in the `states`.
        """
        resolution = Resolution(self._settings, self._rules, off_methods(self._rules, switches))
        known: dict[str, State] = {}
        waiting = {*self._behind}  # also those that require one
        for plugin in self._installed:
            state, reason = wanted_state(plugin, self._settings, self._rules, switches, known)
            if state == "enabled":
                reason = self._add(plugin, resolution, live=live)
                state = "failed" if reason else "enabled"
            known.setdefault(plugin.name, state)
            brought = None if plugin.unfit else self.loaded.get(plugin.name)
            methods = sorted(method.name for method in brought.methods) if brought else ()
            if (
                state == "failed"
                and brought
                and waiting.intersection((plugin.name, *plugin.requires))
            ):
                waiting.add(plugin.name)
                names = [name for method in brought.methods for name in method.named]
                resolution.registry.waiting.update(map(str.lower, names))
            shipped = (fit(plugin.name), fit(plugin.version), fit(plugin.distribution))
            resolution.states.append(PluginState(*shipped, state, fit(reason), tuple(methods)))
        self._loading("")
        for name in [name for plugin in self._installed for name in plugin.call_options]:
            resolution.registry.options.setdefault(name, CallOption(name))
        return resolution

    def _add(self, plugin: Found, resolution: Resolution, *, live: bool) -> str:
        name = plugin.name
        if name in self._failed:
            return self._failed[name]
        try:
            if name not in self.loaded:
                self.loaded[name] = self._load(plugin, self._given.get(name))
            resolution.add(self.loaded[name])
        except Exception as error:  # noqa: BLE001 - it is kept as the plugin's reason
            if isinstance(error, SettingsError) and not live:
                self._wrong += error.args  # the start ends with these, once all are known
                self._claimed |= error.sections
                return ""
            plain = isinstance(error, PluginError | SettingsError)
            reason = str(error) if plain else described(error)
            if name not in self.loaded:
                self._failed[name] = reason
            return reason
        return ""

    def _change(self, last: Switches | None, switches: Switches) -> None:
        known = last.switches if last else switches.switches
        # A newer switch is a reason to try what has failed once more.
        newer = [name for name, it in switches.switches.items() if it != known.get(name)]
        for name in [name for name in newer if self._has_failed(name)]:
            self._forget(name)
        before = self.resolution.states
        self._settle(switches, live=True)
        for state in self.resolution.states:
            if state not in before:
                _log_state(state)
        self.write_report()

    def _upgraded(self) -> list[str]:
        """Name the plugins that were behind and are not, since the operator has upgraded them."""
        if not self._behind:
            return []
        made = schema.revisions_made([*self._behind.values()], self._store)
        return [name for name, it in self._behind.items() if not schema.lacking(it, made)]

    def _has_failed(self, name: str) -> bool:
        states = {each.state for each in self.resolution.states if each.name == name}
        return name in self._failed or states == {"failed"}

    def _forget(self, name: str) -> None:
        """Forget a plugin that has failed, and those that require it: they are loaded anew."""
        self._failed.pop(name, None)
        self._behind.pop(name, None)
        if name in self.loaded:
            _close(self.loaded.pop(name))
        for each in self._installed:
            if name in each.requires and each.name in self.loaded:
                self._forget(each.name)

    def _make_tables(self, resolution: Resolution) -> Mapping[str, str]:
        """Make tables that are not there yet; answer whose cannot be used, and why."""
        failed: dict[str, str] = {}
        brought = {
            each.plugin.name: each.tables for each in resolution.contributions if each.tables
        }
        made = schema.revisions_made([*brought.values()], self._store)
        for name, tables in brought.items():
            try:
                if missing := schema.lacking(tables, made):
                    self._migrate(name, tables, missing)
            except SchemaError as error:
                cause = error.__cause__
                if cause is not None and is_host_fault(cause):
                    raise cause from None  # the database is away: the plugin is none the worse
                failed[name] = str(error)
                if isinstance(error, schema.Behind):
                    self._behind[name] = tables
        for each in resolution.contributions:
            module = each.plugin.module
            package = getattr(module, "__package__", "") or getattr(module, "__name__", "")
            if package and (missing := schema.not_made(package, self._store)):
                wanted = "`register_tables`"
                if each.tables:
                    wanted = "a migration in its folder; one that was run here is not run again"
                told = f"nothing makes its table {', '.join(missing)}: it needs {wanted}"
                failed.setdefault(each.plugin.name, told)
        return failed

    def _migrate(self, plugin: str, tables: schema.Tables, missing: Sequence[str]) -> None:
        self._loading(plugin, True)
        try:
            schema.prepare(tables, missing, self._store)
        finally:
            self._loading("")

    def _judge(self, before: Sequence[PluginState]) -> None:
        """Refuse to start with a plugin that failed, where that is wanted; log it otherwise."""
        if self._settings.strict:
            self.refuse_failed()
        for state in self.resolution.states:
            if state.state == "failed" and state not in before:
                _log_state(state)

    def _check_sections(self) -> None:
        """Refuse settings that are wrong, and tell of sections that no plugin has.

        A plugin that is off or gone may have left one in the file. A section with nearly the name
        of another is misspelt. A plugin that is on must bring the section of its name.
        """
        states, sections = self.resolution.states, self.resolution.sections
        on = {state.name for state in states if state.state == "enabled"}
        # A contrib plugin of Landyard has one section, of the plugin's name, whether on or off.
        ours = {each.name for each in self._installed if each.contrib and each.distribution == HOST}
        off = {state.name for state in states} - on
        off |= {former for former, current in aliases().items() if current in off}
        wrong, left = list(self._wrong), dict[str, str]()
        for name in sorted(self._settings.plugins.keys() - sections - self._claimed):
            near = suggestion(name, {*sections, *ours})
            told = f"no plugin has settings called '{name}'{near}"
            gone = name in self._settings.file_sections and (not near or self._was_here(name))
            if name in on or not (name in off or off - ours or gone or self._hidden):
                wrong.append(told)
            else:
                left[name] = told
        if wrong:
            raise SettingsError(*wrong, *([] if self._hidden else left.values()))
        known = {name.lower() for each in states for name in (each.name, *each.methods)}
        pinned = () if self._given or self._hidden else (*self._rules.on, *self._rules.off)
        for name in () if self._hidden else left:
            log.warning("settings_unclaimed", section=name)
        for name in pinned:
            if name.lower() not in known:  # a method of a plugin that is off, or misspelt
                log.warning("settings_unclaimed", section="plugins", name=name)

    def _was_here(self, plugin: str) -> bool:
        """Tell whether a plugin that is not installed any more once ran in this service."""
        with suppress(DBAPIError, OverloadLimit):
            return plugin in {state.name for state in known_report(self._store)}
        return False


def _close(brought: Contribution) -> None:
    """Close a plugin's object. Where that fails the other objects are closed all the same."""
    if hasattr(brought.keeper, "close"):
        try:
            brought.keeper.close()
        except BaseException:
            log.exception("close_failed", plugin=brought.plugin.name)


def _found(plugin: Plugin) -> Found:
    shipped = plugin.name, "", plugin.distribution, plugin.version
    return Found(*shipped, requires=plugin.requires, call_options=plugin.call_options)


def _log_state(state: PluginState) -> None:
    say = log.error if state.state == "failed" else log.info
    told = {"distribution": state.distribution, "reason": state.reason}
    say(f"plugin_{state.state}", plugin=state.name, **told)
