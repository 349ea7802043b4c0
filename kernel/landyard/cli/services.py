"""The words that concern the service as a whole: `load`, `dump`, `methods`, `settings`."""

import difflib
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from sqlalchemy import make_url

from landyard.console import Console
from landyard.describing import summary
from landyard.openrpc import method_object
from landyard.settings import Settings


@click.command()
@click.argument("world", metavar="WORLD.json", type=click.Path(allow_dash=True, path_type=Path))
@click.pass_obj
def load(console: Console, world: Path) -> None:
    """Load a world file, all of it or nothing.

    `-` reads standard input. Rows are found by id, secrets by digest, manifests and templates
    by code; what the file lists wins, what it does not list stays.
    """
    if str(world) == "-":
        text = sys.stdin.buffer.read()
    else:
        try:
            text = world.read_bytes()
        except OSError as error:
            raise click.ClickException(f"{world}: {error.strerror}") from error
    with console.kernel(whole=True) as kernel, console.progress("loading") as progress:
        done = kernel.load(text, progress)
    console.say(f"{done.created} created, {done.updated} updated, {done.unchanged} unchanged")


@click.command()
@click.pass_obj
def dump(console: Console) -> None:
    """Write the service as a world file.

    To standard output; webhooks and tokens are left out, for only their digests are kept.
    """
    with console.kernel(whole=True) as kernel:
        sys.stdout.buffer.write(kernel.dump())


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_context
def methods(ctx: click.Context, as_json: bool) -> None:
    """List the methods that are on; `show NAME` tells all about one."""
    if ctx.invoked_subcommand is not None:
        return
    console: Console = ctx.obj
    with console.kernel(prepare=False) as kernel:
        rows = [
            (
                method.name,
                method.scope,
                method.right,
                method.plugin,
                method.writes,
                sorted(error.code for error in method.errors),
                summary(method),
            )
            for method in kernel.methods
        ]
    if as_json:
        columns = ("name", "scope", "right", "plugin", "writes", "errors", "summary")
        console.table(columns, rows, as_json=True)
    else:
        shown = [(name, scope, plugin, does) for name, scope, _, plugin, *_, does in rows]
        console.table(("name", "scope", "plugin", "what it does"), shown)


@methods.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the method's OpenRPC object.")
@click.pass_obj
def show(console: Console, name: str, as_json: bool) -> None:
    """Tell all about the method NAME: parameters, codes, an example to copy."""
    with console.kernel(prepare=False) as kernel:
        method = kernel.methods.find(name)
        if method is None:
            raise click.ClickException(_not_there(name, [each.name for each in kernel.methods]))
        base = kernel.settings.base
    if as_json:
        described = msgspec.json.encode(method_object(method))
        console.say(msgspec.json.format(described, indent=2).decode())
        return
    from landyard.cli.showing import show_method  # rich, which a listing for programs needs not

    show_method(method, base=base)


def _not_there(name: str, there: list[str]) -> str:
    lowered = {each.lower(): each for each in there}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    if near:
        return f"there is no method '{name}' that is on; did you mean {lowered[near[0]]}?"
    return f"there is no method '{name}' that is on; `landyard methods` lists those there are"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
@click.pass_obj
def settings(console: Console, as_json: bool) -> None:
    """Show the settings in force; passwords stay hidden."""
    with console.kernel(prepare=False) as kernel:
        used = kernel.settings
        rows: list[tuple[str, Any]] = [
            (field.name, _plain(used, field.name))
            for field in msgspec.structs.fields(Settings)
            if field.name != "plugins"
        ]
        for name, section in kernel.sections.items():
            rows += [
                (f"{name}.{key}", value) for key, value in msgspec.to_builtins(section).items()
            ]
    console.table(("setting", "value"), rows, as_json=as_json)


def _plain(used: Settings, name: str) -> Any:
    if name == "database_url":
        return make_url(used.database).render_as_string(hide_password=True)
    value = getattr(used, name)
    return str(value) if isinstance(value, Path) else value
