"""Lists the status of plugins, and switches plugins and methods by name."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from landyard.plugin_host.aliases import aliases, current_name
from landyard.plugin_host.discovery import found, to_install
from landyard.plugin_host.resolution import in_order, off_methods, wanted_state
from landyard.plugin_host.status import PluginStatus
from landyard.plugin_host.switches import (
    PluginSettings,
    PluginState,
    State,
    Switches,
    is_prepared,
    known_report,
    known_switches,
    read_switches,
    write_switch,
)
from landyard.plugin_host.usage import hour_of, last_hour
from landyard.settings import Settings
from landyard.storage.store import Store


class NotSwitched(Exception):
    """A plugin or a method cannot be switched; the text says why."""


class Switchboard(Struct, frozen=True):
    """Tells how the installed plugins stand, and switches them and their methods."""

    settings: Settings
    rules: PluginSettings
    store: Store

    def status(self, now: datetime, switches: Switches | None = None) -> list[PluginStatus]:
        """List the installed plugins in the order they are asked in.

        The settings and `switches` say which plugins are on. Without `switches` the present ones
        are read from the database, and so is the usage of the last hour. The last report of a
        server says why a plugin failed, and which methods it brings.
        """
        used = last_hour(self.store, now) if switches is None and is_prepared(self.store) else {}
        switches = switches or known_switches(self.store)
        breakers = switches.breakers.values() if switches else ()
        reports = {(each.name, each.distribution): each for each in known_report(self.store)}
        off = off_methods(self.rules, switches)
        known: dict[str, State] = {}
        listed = []
        for plugin in in_order(found()):
            report = reports.get((plugin.name, plugin.distribution))
            state, reason = wanted_state(plugin, self.settings, self.rules, switches, known)
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
                    hour_of(used, f"plugin:{plugin.name}", *methods),
                    {name: hour_of(used, name) for name in methods},
                    tuple(name for name in methods if name.lower() in off),
                    tuple(each for each in breakers if each.plugin == plugin.name),
                    switches.switches.get(plugin.name) if switches else None,
                )
            )
        return listed

    @staticmethod
    def current_name(name: str) -> str:
        """Return the current name for a former one of a plugin or method, or the name itself."""
        return current_name(name)

    def find(self, name: str, plugins: Sequence[PluginStatus], *, is_on: bool) -> str:
        """Find a plugin, or a method in any spelling, to be switched; raises `NotSwitched`.

        A former name finds what has the current name. A method with a former name is found also
        before a server has run it.
        """
        installed = {each.plugin.name for each in plugins}
        renamed = [each for each in aliases().values() if each not in installed]
        reported = [method for each in plugins for method in each.state.methods]
        methods = {method.lower(): method for method in (*renamed, *reported)}
        current = current_name(name)
        known = current if current in installed else methods.get(current.lower())
        if known is None:
            raise NotSwitched(
                f"there is no plugin '{name}', and no method of this name that a server has run"
            )
        other = "off" if is_on else "on"
        if known.lower() in map(str.lower, getattr(self.rules, other)):
            raise NotSwitched(
                f"'{known}' is pinned {other} by the settings: take it out of plugins.{other} there"
            )
        for each in plugins if is_on else ():
            if each.plugin.name == known and (wanted := to_install(each.plugin)):
                raise NotSwitched(
                    f"'{known}' needs what is not installed: `pip install '{wanted}'` first"
                )
        return known

    def switch(
        self,
        connection: Connection,
        name: str,
        plugins: Sequence[PluginStatus],
        *,
        is_on: bool,
        at: datetime,
        by: str,
    ) -> list[str]:
        """Switch what `find` found; return the plugins that go with it; `plugins` are as before."""
        write_switch(connection, name, is_on=is_on, at=at, by=by)
        before = {each.plugin.name: each.state.state for each in plugins} | {name: ""}
        after = self.status(at, read_switches(connection))
        states = {each.plugin.name: each.state.state for each in after} | {name: ""}
        return [each for each, state in states.items() if state != before.get(each)]
