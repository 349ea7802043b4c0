"""The overview: how every installed plugin stands, without importing one or asking a server."""

from msgspec import Struct, structs

from landyard.discovery import HOST, Found, found
from landyard.faults import Quarantine
from landyard.ledger import Ledger
from landyard.roster import in_order, off_methods, standing, upheld
from landyard.settings import Settings
from landyard.states import (
    PluginSettings,
    PluginState,
    State,
    Switches,
    known_report,
    known_switches,
    known_tables,
    plugin_settings,
)
from landyard.store import Store
from landyard.usage import Hour, last_hour


class Line(Struct, frozen=True):
    """One plugin: how it stands, what it requires, how its calls of the last hour went.

    `off` are methods of it that are off by themselves; `quarantine` is why and until when it rests.
    """

    plugin: Found
    state: PluginState
    hour: Hour
    off: tuple[str, ...] = ()
    quarantine: Quarantine | None = None


def overview(settings: Settings, rules: PluginSettings, store: Store, ledger: Ledger) -> list[Line]:
    """List the installed plugins in the order they are asked in.

    What is on is what settings and switches say now; why a plugin failed, and which methods it
    brings, is what the last server to start has written down.
    """
    switches = known_switches(store)
    reports = {(each.name, each.distribution): each for each in known_report(store)}
    hours = last_hour(ledger) if known_tables(store) else {}
    off = off_methods(rules, switches)
    stands: dict[str, State] = {}
    lines = []
    for plugin in in_order(found()):
        report = reports.get((plugin.name, plugin.distribution))
        wanted = standing(plugin, settings, rules, switches)
        if wanted[0] == "enabled":
            wanted = upheld(plugin.requires, stands)
        held = _quarantine(plugin, switches)
        state = _state(plugin, wanted, held, report)
        stands.setdefault(plugin.name, state.state)
        lines.append(
            Line(
                plugin,
                state,
                hours.get(plugin.name, Hour(0, 0, 0.0)),
                tuple(name for name in state.methods if name.lower() in off),
                held,
            )
        )
    return lines


def new_plugins(settings: Settings, store: Store) -> list[str]:
    """Name the plugins of others that are to be on and that no server has imported yet."""
    rules = plugin_settings(settings)
    switches = known_switches(store)
    known = {
        (each.name, each.distribution, each.version)
        for each in known_report(store)
        if each.state != "disabled" or each.methods
    }
    return [
        each.name
        for each in found()
        if each.distribution != HOST
        and (each.name, each.distribution, each.version) not in known
        and standing(each, settings, rules, switches)[0] == "enabled"
    ]


def _state(
    plugin: Found,
    wanted: tuple[State, str],
    held: Quarantine | None,
    report: PluginState | None,
) -> PluginState:
    state, reason = wanted
    started = report is not None and report.version == plugin.version
    if state == "enabled" and report is not None and started and report.state == "failed":
        state, reason = "failed", report.reason
    elif state == "enabled" and held is not None:
        state, reason = "quarantined", held.reason
    known = PluginState(plugin.name, plugin.version, plugin.distribution, state, reason)
    return structs.replace(known, methods=report.methods if report else ())


def _quarantine(plugin: Found, switches: Switches | None) -> Quarantine | None:
    return switches.quarantines.get(plugin.name) if switches and not plugin.unfit else None
