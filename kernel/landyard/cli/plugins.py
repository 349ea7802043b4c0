"""The command `plugins`: lists plugins, and switches plugins and methods on or off."""

from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import click
from msgspec import structs

from landyard.cli.console import Console, operator
from landyard.cli.plugin_words import Extended
from landyard.kernel import Kernel, open_store
from landyard.plugin_host.aliases import aliases
from landyard.plugin_host.status import PluginStatus
from landyard.plugin_host.switchboard import NotSwitched, Switchboard
from landyard.plugin_host.switches import plugin_settings
from landyard.storage.schema import Schema, SchemaError
from landyard.storage.store import UnitOfWork

_COLUMNS = ("name", "version", "distribution", "state", "methods", "calls", "errors", "p95")


@click.group(cls=Extended)
def plugins() -> None:
    """List plugins, and switch plugins and methods on or off.

    No server needs to run. `list` and `show` import no plugin; `enable` and `disable` import only
    the plugins that came with Landyard.
    """


@plugins.command("list")
@Console.json_option
@click.pass_obj
def list_plugins(console: Console, as_json: bool) -> None:
    """List the plugins, and how their calls of the last hour went.

    A plugin is enabled, disabled, or failed (at start-up). Errors are unexpected ones; 95 % of the
    calls took no longer than p95, in seconds.
    """
    plugins = [_facts(line) for line in _status(console)]
    if as_json:
        console.table(list(plugins[0]), [list(each.values()) for each in plugins], as_json=True)
        return
    rows = [
        {**each, "methods": len(each["methods"]), "p95": f"{each['p95']:.4f}"} for each in plugins
    ]
    console.table(_COLUMNS, [[row[name] for name in _COLUMNS] for row in rows])
    for each in plugins:
        # Below the table, where there is room for it.
        for told in filter(None, (each["reason"], each["last_error"], *each["refused"])):
            console.say(f" {each['name']}: {told}")


@plugins.command()
@click.argument("name")
@Console.json_option
@click.pass_obj
def show(console: Console, name: str, as_json: bool) -> None:
    """Show everything that is known about one plugin."""
    name = _current(name)
    # Two distributions may bring a plugin of one name.
    shown = [_facts(line) for line in _status(console) if line.plugin.name == name]
    if not shown:
        raise click.ClickException(f"there is no plugin '{name}'; see `landyard plugins list`")
    if as_json:
        console.table(list(shown[0]), [list(facts.values()) for facts in shown], as_json=True)
        return
    for facts in shown:
        rows = [("module" if name == "value" else name, facts[name]) for name in facts]
        console.table(("fact", "value"), [row for row in rows if row[1]])


@plugins.command()
@click.argument("name")
@click.pass_obj
def enable(console: Console, name: str) -> None:
    """Switch a plugin or a method on.

    Running workers follow within a second. A plugin that failed is tried again, without importing
    its modules again: after a change of its code, restart the service or send it SIGHUP.
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


def _current(name: str) -> str:
    """Return the current name of a plugin or a method; a line on standard error tells a former."""
    current = aliases().get(name.lower(), name)
    if current != name:
        click.echo(f"{name} is now called {current}", err=True)
    return current


def _status(console: Console) -> list[PluginStatus]:
    settings = console.settings()
    with closing(open_store(settings)) as store:
        return Switchboard(settings, plugin_settings(settings), store).status(datetime.now(UTC))


def _switch(console: Console, name: str, *, is_on: bool) -> None:
    now, name = datetime.now(UTC), _current(name)
    with console.without_others().kernel(prepare=False) as kernel:
        store, switchboard = kernel.store, kernel.plugins.switchboard
        lines = switchboard.status(now)
        try:
            known = switchboard.find(name, lines, is_on=is_on)
        except NotSwitched as refused:
            raise click.ClickException(f"{refused}; see `landyard plugins list`") from refused
        Schema([]).prepare(store)
        audited = _has_tables(kernel)

        def switch(unit: UnitOfWork) -> list[str]:
            also = switchboard.switch(
                unit.connection, known, lines, is_on=is_on, at=now, by=operator()
            )
            for each in (known, *also) if audited else ():
                console.record(kernel, unit, f"switch:{each}")
            return also

        also = store.run(switch, writes=True)
    word = "on" if is_on else "off"
    told = f", and with it {', '.join(also)}" if also else ""
    console.say(f"{known} is {word}{told}; running workers follow within a second")


def _has_tables(kernel: Kernel) -> bool:
    """Make the tables that no one has made yet; False where `landyard db upgrade` has to."""
    try:
        kernel.schema.prepare(kernel.store)
    except SchemaError:
        return False
    return True


def _facts(line: PluginStatus) -> dict[str, Any]:
    return {
        **structs.asdict(line.plugin),
        **structs.asdict(line.state),
        **structs.asdict(line.hour),
        "methods_off": line.off,
        "refused": [f"{each.method} is refused: {each.reason}" for each in line.breakers],
        "switched_by": line.switch.changed_by if line.switch else "",
        "switched_at": line.switch.changed_at if line.switch else None,
    }
