"""Plugin status for the command line, read from metadata and database, without any import."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Row

from landyard.plugin_host.circuit_breaker import OpenBreaker
from landyard.plugin_host.discovery import Found, found
from landyard.plugin_host.resolution import in_order, off_methods, wanted_state
from landyard.plugin_host.switches import (
    PluginSettings,
    PluginState,
    State,
    is_prepared,
    known_report,
    known_switches,
)
from landyard.plugin_host.usage import Hour, last_hour
from landyard.settings import Settings
from landyard.storage.store import Store


class PluginStatus(Struct, frozen=True):
    """One plugin: how it stands, what it requires, how its calls of the last hour went.

    `off` are methods that are off by themselves; `breakers` are those refused for a while.
    """

    plugin: Found
    state: PluginState
    hour: Hour = Hour()
    off: tuple[str, ...] = ()
    breakers: tuple[OpenBreaker, ...] = ()
    switch: Row[Any] | None = None


def status(
    settings: Settings, rules: PluginSettings, store: Store, now: datetime
) -> list[PluginStatus]:
    """List the installed plugins in the order they are asked in.

    What is on is what settings and switches say now; why a plugin failed, and which methods it
    brings, is what the last server to start has written down.
    """
    switches = known_switches(store)
    rows = switches.switches if switches else {}
    breakers = switches.breakers.values() if switches else ()
    reports = {(each.name, each.distribution): each for each in known_report(store)}
    hours = last_hour(store, now) if is_prepared(store) else {}
    off = off_methods(rules, switches)
    known: dict[str, State] = {}
    listed = []
    for plugin in in_order(found()):
        report = reports.get((plugin.name, plugin.distribution))
        state, reason = wanted_state(plugin, settings, rules, switches, known)
        if state == "enabled" and report and report.version == plugin.version:
            failed = report.state == "failed"
            state, reason = ("failed", report.reason) if failed else (state, reason)
        known.setdefault(plugin.name, state)
        shipped = (plugin.name, plugin.version, plugin.distribution)
        methods = report.methods if report else ()
        listed.append(
            PluginStatus(
                plugin,
                PluginState(*shipped, state, reason, methods),
                hours.get(plugin.name, Hour()),
                tuple(name for name in methods if name.lower() in off),
                tuple(each for each in breakers if each.plugin == plugin.name),
                rows.get(plugin.name),
            )
        )
    return listed
