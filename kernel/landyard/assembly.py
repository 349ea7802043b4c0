"""The assembly: the plugins of one kernel as they stand now, and how that changes while it runs."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime

import structlog
from msgspec import structs

from landyard.faults import FaultRules, Faults, Quarantine
from landyard.hosts import is_host_fault
from landyard.lineup import Lineup
from landyard.plugins import PluginError
from landyard.roster import Roster
from landyard.schema import Schema, SchemaError, prepare
from landyard.settings import Settings, SettingsError
from landyard.states import (
    PluginSettings,
    PluginState,
    counter,
    failed_by,
    keep_quarantine,
    known_report,
    known_switches,
    read_switches,
    write_report,
)
from landyard.store import Store
from landyard.watch import DEADLY

log = structlog.get_logger()

Follower = Callable[[Lineup], Mapping[str, str]]


class Assembly:
    """Makes the line-up that the switches ask for, and another one whenever they change.

    `lineup` is what is on now; `faults` counts what plugins do wrong.
    """

    def __init__(
        self,
        settings: Settings,
        rules: PluginSettings,
        roster: Roster,
        store: Store,
        *,
        deadly: set[str],
        now: Callable[[], datetime],
        changed: Callable[[Lineup], object],
    ) -> None:
        """Start with what is to be on; `changed` is told of each line-up that follows.

        `deadly` are plugins that have killed a process before this one. Raises `PluginError` where
        `settings.strict` and one has failed, and `SettingsError`.
        """
        self._settings = settings
        self._roster = roster
        self._store = store
        self._now = now
        self._changed = changed
        self._told: list[PluginState] = []
        self._followers: list[Follower] = []
        self._changing = threading.Lock()
        self._quarantines: deque[tuple[str, Quarantine | None]] = deque()
        limits = FaultRules(rules.faults, rules.within, rules.pause)
        self.faults = Faults(limits, now, lambda *change: self._quarantines.append(change))
        self._switches = known_switches(store)
        if self._switches is not None:
            self.faults.learn(self._switches.quarantines)
        self._leave_out(deadly)
        self.lineup = roster.line_up(self._switches)
        self._judge()
        self._check_sections()
        self._check_pins(rules)

    @property
    def report(self) -> list[PluginState]:
        """How each installed plugin stands."""
        return [self._with_quarantine(state) for state in self.lineup.states]

    def prepare(self) -> None:
        """Make the tables of those that have none; what has those of another version has failed.

        Raises `SchemaError` where that is the kernel, and `PluginError` where `settings.strict`.
        """
        Schema([]).prepare(self._store)
        self._follow_up(self._make_tables)

    def refresh(self) -> None:
        """Take up what operators and other workers have changed; and tell them what happened here.

        Servers do so about twice a second. Raises the database's errors.
        """
        with self._changing:
            while self._quarantines:
                self._share(*self._quarantines[0])
                self._quarantines.popleft()
            with self._store.unit(writes=False) as unit:
                last = self._switches
                if last is not None and counter(unit.connection) == last.counter:
                    switches = last
                else:
                    switches = read_switches(unit.connection)
                    self.faults.learn(self._with_own(switches.quarantines))
            self._switches = switches
            if last is None or last.switches != switches.switches or self._roster.loading:
                try:
                    self._change()
                except BaseException:
                    self._switches = last  # else nobody would try again
                    raise

    def _share(self, name: str, quarantine: Quarantine | None) -> None:
        try:
            keep_quarantine(self._store, name, quarantine)
        except Exception as error:
            if is_host_fault(error):
                raise  # it is tried again
            # It holds in this worker all the same, and nothing waits behind it.
            log.exception("quarantine_not_shared", plugin=name)

    def _with_own(self, rows: Mapping[str, Quarantine]) -> Mapping[str, Quarantine]:
        """Put over what the database says what has happened here since."""
        known = dict(rows)
        for name, quarantine in list(self._quarantines):
            known.pop(name, None)
            if quarantine is not None:
                known[name] = quarantine
        return known

    def follow(self, follower: Follower) -> None:
        """Tell `follower` of today's line-up, and of each new one before it counts.

        It answers which plugins it has no use for, and why: those have failed.
        """
        self._followers.append(follower)
        self._follow_up(follower)

    def write_report(self) -> None:
        """Keep how each plugin stands, for the command line and for after the service is down.

        A service without plugins, with `--safe`, knows nothing of them that others do not.
        """
        if self._settings.safe:
            return
        write_report(self._store, self.lineup.states, self._now())

    def refuse_failed(self) -> None:
        """Raise `PluginError` where a plugin has failed; it names each with its reason."""
        failed = [state for state in self.lineup.states if state.state == "failed"]
        if failed:
            raise PluginError("; ".join(_said(state) for state in failed))

    def _use(self, lineup: Lineup) -> None:
        self.lineup = lineup
        self._changed(lineup)

    def _follow_up(self, follower: Follower) -> None:
        if self._fail(follower(self.lineup)):
            self._use(self._usable(live=False))
            self._judge()

    def _usable(self, *, live: bool) -> Lineup:
        """Make a line-up that everybody can use."""
        while True:
            lineup = self._roster.line_up(self._switches, live=live)
            if not any(self._fail(tell(lineup)) for tell in (self._make_tables, *self._followers)):
                return lineup

    def _fail(self, reasons: Mapping[str, str]) -> bool:
        for name, reason in reasons.items():
            if not self._roster.fail(name, reason):
                raise PluginError(f"plugin '{name}': {reason}")
        return bool(reasons)

    def _change(self) -> None:
        before = self.lineup
        self._use(self._usable(live=True))
        for state in self.lineup.states:
            if state not in before.states:
                _log_state(state)
        self.write_report()

    def _make_tables(self, lineup: Lineup) -> Mapping[str, str]:
        """Make tables that are not there yet; answer whose cannot be used, and why."""
        failed: dict[str, str] = {}
        for each in lineup.contributions:
            if each.tables is not None:
                try:
                    prepare(each.tables, self._store)
                except SchemaError as error:
                    cause = error.__cause__
                    if cause is not None and is_host_fault(cause):
                        raise cause from None  # the database is away: the plugin is none the worse
                    failed[each.plugin.name] = str(error)
        return failed

    def _leave_out(self, deadly: set[str]) -> None:
        """Import nothing that has killed a process before, until it is switched on again.

        Our own is not left out: whoever ended that process, it was not to be told by its import.
        """
        for name, version, at in failed_by(self._store, DEADLY):
            self._roster.fail(name, DEADLY, version=version, at=at)
        for name in deadly - self._roster.ours:
            self._roster.fail(name, DEADLY)

    def _judge(self) -> None:
        """Refuse to start with a plugin that failed, where that is wanted; log it otherwise."""
        if self._settings.strict:
            self.refuse_failed()
        for state in self.lineup.states:
            if state.state == "failed" and state not in self._told:
                self._told.append(state)
                _log_state(state)

    def _check_sections(self) -> None:
        """Refuse settings of nobody, unless somebody is away whose they may be."""
        away = any(state.state != "enabled" for state in self.lineup.states)
        for name in self._settings.plugins:
            if name not in self.lineup.sections:
                if not away:
                    raise SettingsError(f"there is no plugin with settings called '{name}'")
                log.warning("settings_unclaimed", section=name)

    def _check_pins(self, rules: PluginSettings) -> None:
        """Warn of pins that are of nobody: what is to be off must not be on for a slip of a key."""
        known = {state.name.lower() for state in self.lineup.states}
        if self._switches is None:
            return  # the database does not answer, and nothing is on
        reports = (*self.lineup.states, *known_report(self._store))
        known |= {method.lower() for state in reports for method in state.methods}
        for name in (*rules.on, *rules.off):
            if name.lower() not in known:
                log.warning("pin_unknown", name=name)

    def _with_quarantine(self, state: PluginState) -> PluginState:
        held = self.faults.quarantined(state.name)
        if held is None or state.state != "enabled":
            return state
        return structs.replace(state, state="quarantined", reason=held.reason)


def _said(state: PluginState) -> str:
    shipped = f"{state.distribution} {state.version}".strip()
    return f"plugin '{state.name}' ({shipped}): {state.reason}"


def _log_state(state: PluginState) -> None:
    say = log.error if state.state == "failed" else log.info
    shipped = f"{state.distribution} {state.version}".strip()
    say(f"plugin_{state.state}", plugin=state.name, distribution=shipped, reason=state.reason)
