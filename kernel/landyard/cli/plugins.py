"""The word `plugins`."""

import difflib
import getpass
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import click
from msgspec import Struct

from landyard.audit import OK, Entry
from landyard.cli.authoring import check, new
from landyard.console import Console
from landyard.ledger import Ledger
from landyard.overview import Line, overview
from landyard.states import PluginSettings, plugin_settings, switch
from landyard.store import Store

_COLUMNS = (
    "name",
    "version",
    "distribution",
    "state",
    "methods",
    "calls",
    "errors",
    "p95",
    "reason",
)


class _House(Struct, frozen=True):
    """What the words of this module work with."""

    store: Store
    rules: PluginSettings
    lines: Sequence[Line]


@click.group()
def plugins() -> None:
    """The plugins: what is installed, what is on, and how it fares.

    None of these words imports a plugin but `check`, and all work while no server runs.
    """


plugins.add_command(new)
plugins.add_command(check)


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def list_plugins(console: Console, as_json: bool) -> None:
    """List the plugins with their states, and how their calls of the last hour went.

    A plugin is enabled, disabled, failed (at start-up) or quarantined (for a while, after faults).
    Errors are unexpected ones; 95 % of the calls took no longer than p95.
    """
    with _house(console) as house:
        if as_json:
            rows = [(*_known(line), line.state.reason) for line in house.lines]
            console.table(_COLUMNS, rows, as_json=True)
            return
        from landyard.cli.standing import show_lines  # rich, which a program needs not

        show_lines(house.lines)


@plugins.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def show(console: Console, name: str, as_json: bool) -> None:
    """Show all there is to know about one plugin."""
    with _house(console) as house:
        lines = [line for line in house.lines if line.plugin.name == name]
        if not lines:
            raise _unknown(name, [line.plugin.name for line in house.lines], "plugin")
        told = [_told(line, house) for line in lines]
    if as_json:
        console.table(list(told[0]), [list(each.values()) for each in told], as_json=True)
        return
    from landyard.cli.standing import show_facts

    for each in told:
        show_facts(name, _worded(each))


@plugins.command()
@click.argument("name")
@click.pass_obj
def enable(console: Console, name: str) -> None:
    """Switch a plugin or a method on, and lift a quarantine.

    Running workers follow within a second. A plugin that failed is tried again.
    """
    _switch(console, name, is_on=True)


@plugins.command()
@click.argument("name")
@click.pass_obj
def disable(console: Console, name: str) -> None:
    """Switch a plugin or a method off.

    Its methods, pages, jobs and hooks are gone from every running worker within a second; calls
    under way finish. It stays off until it is switched on.
    """
    _switch(console, name, is_on=False)


def _switch(console: Console, name: str, *, is_on: bool) -> None:
    with _house(console, prepare=True) as house:
        before = house.lines
        kind, known = _named(name, before)
        _refuse_pinned(known, house.rules, is_on=is_on)
        switch(house.store, known, is_on=is_on, entry=_entry(kind, known, is_on=is_on))
    with _house(console) as house:
        after = house.lines
    console.say(f"{known} is {'on' if is_on else 'off'}; running workers follow within a second")
    for line in _affected(known, before, after, is_on=is_on):
        told = f"{line.plugin.name} is {line.state.state}: {line.state.reason or 'on again'}"
        if is_on and line.state.state == "failed" and line.plugin.name == known:
            told = f"{known} is tried again; it failed last time: {line.state.reason}"
        console.say(told)


def _affected(
    name: str, before: Sequence[Line], after: Sequence[Line], *, is_on: bool
) -> Iterator[Line]:
    """Find who goes off or on along with what was switched, and what stays off all the same."""
    for old, line in zip(before, after, strict=True):
        if line.plugin.name == name or (is_on and name in line.state.methods):
            if is_on and line.state.state != "enabled":
                yield line
        elif line.state.state != old.state.state:
            yield line


@contextmanager
def _house(console: Console, *, prepare: bool = False) -> Iterator[_House]:
    settings = console.settings()
    rules = plugin_settings(settings)
    with console.store(settings, prepare=prepare) as store:
        ledger = Ledger(settings, store)
        try:
            yield _House(store, rules, overview(settings, rules, store, ledger))
        finally:
            ledger.close()


def _named(name: str, lines: Sequence[Line]) -> tuple[str, str]:
    """Find what is called `name`: a plugin, or a method that one of them brings."""
    known = [line.plugin.name for line in lines]
    if name in known:
        return "plugin", name
    methods = {method.lower(): method for line in lines for method in line.state.methods}
    if name.lower() in methods:
        return "method", methods[name.lower()]
    if not methods:
        raise click.ClickException(
            f"there is no plugin '{name}', and which methods there are is known once a server has"
            " run; a method can be switched off before that by plugins.off in the settings"
        )
    raise _unknown(name, [*known, *methods.values()], "plugin or method")


def _unknown(name: str, known: Sequence[str], kind: str) -> click.ClickException:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean '{near[0]}'?" if near else "; see `landyard plugins list`"
    return click.ClickException(f"there is no {kind} '{name}'{hint}")


def _refuse_pinned(name: str, rules: PluginSettings, *, is_on: bool) -> None:
    pinned, word = (rules.off, "off") if is_on else (rules.on, "on")
    if name.lower() in map(str.lower, pinned):
        raise click.ClickException(
            f"'{name}' is pinned {word} by the settings: take it out of plugins.{word} there"
        )


def _entry(kind: str, name: str, *, is_on: bool) -> Entry:
    return Entry(
        at=datetime.now(UTC),
        user_id=0,
        credential=f"command line:{_who()}",
        address="",
        method=f"plugins.{'enable' if is_on else 'disable'}",
        plugin="kernel",
        version=version("landyard"),
        subject=f"{kind}:{name}",
        outcome=OK,
        seconds=0.0,
        request_id="",
    )


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may give a number without a name
        return str(os.getuid())


def _known(line: Line) -> tuple[Any, ...]:
    state, hour = line.state, line.hour
    shipped = (state.name, state.version, state.distribution, state.state)
    return (*shipped, list(state.methods), hour.calls, hour.errors, hour.p95)


def _told(line: Line, house: _House) -> dict[str, Any]:
    """Tell all there is to know of a plugin; the names are for programs, and stay."""
    plugin, held = line.plugin, line.quarantine
    needed = [each.plugin.name for each in house.lines if plugin.name in each.plugin.requires]
    pins = {"on": house.rules.on, "off": house.rules.off}
    return {
        "name": plugin.name,
        "version": plugin.version,
        "distribution": plugin.distribution,
        "module": plugin.value,
        "contrib": plugin.contrib,
        "state": line.state.state,
        "reason": line.state.reason,
        "rests_until": held.until if held else None,
        "pinned": next((way for way, names in pins.items() if plugin.name in names), ""),
        "requires": list(plugin.requires),
        "required_by": needed,
        "methods": list(line.state.methods),
        "methods_off": list(line.off),
        "calls": line.hour.calls,
        "errors": line.hour.errors,
        "p95": line.hour.p95,
    }


def _worded(told: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Put what is told into words for people."""
    from landyard.cli.standing import duration

    off = set(told["methods_off"])
    methods = [f"{name}  (off)" if name in off else name for name in told["methods"]]
    calls = f"{told['calls']} in the last hour"
    if told["calls"]:
        calls += f", 95 % of them within {duration(told['p95'])}"
    return [
        ("state", told["state"]),
        ("reason", told["reason"]),
        ("rests until", told["rests_until"]),
        ("pinned", told["pinned"] and f"{told['pinned']}, by the settings"),
        ("from", f"{told['distribution']} {told['version']}".strip()),
        ("module", told["module"]),
        ("contributed", told["contrib"]),
        ("requires", ", ".join(told["requires"])),
        ("required by", ", ".join(told["required_by"])),
        ("calls", calls),
        ("errors", told["errors"] and f"{told['errors']} unexpected"),
        ("methods", methods),
    ]
