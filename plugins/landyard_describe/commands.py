"""The command `methods`: a list of the active methods, and the description of one."""

import difflib
import shlex
import sys
from collections.abc import Iterable

import click
import msgspec

from landyard import Console, Irreversible, Method
from landyard_describe.error_codes import own_codes, system_codes
from landyard_describe.markdown import as_json, codes_table, parameters_table
from landyard_describe.openrpc import method_object
from landyard_describe.texts import (
    answers,
    by_each_name,
    can_be_tried,
    deprecation,
    needs,
    plain,
    summary,
)

_WIDEST = 100


@click.group(invoke_without_command=True)
@Console.json_option
@click.pass_context
def methods(ctx: click.Context, as_json: bool) -> None:
    """List the active methods, or describe one of them."""
    if ctx.invoked_subcommand is not None:
        return
    console: Console = ctx.obj
    with console.host(prepare=False) as host:
        active = list(by_each_name(host.methods))
    if not as_json:
        brief_rows = [(each.name, each.scope, each.plugin, summary(each)) for each in active]
        console.table(("name", "scope", "plugin", "what it does"), brief_rows)
        return
    columns = ("name", "scope", "right", "plugin", "writes", "dry_run", "undo", "errors", "summary")
    rows = [
        (
            *(each.name, each.scope, each.right, each.plugin, each.writes, can_be_tried(each)),
            each.writes and Irreversible not in each.notes,
            sorted(error.code for error in each.errors),
            summary(each),
        )
        for each in active
    ]
    console.table(columns, rows, as_json=True)


@methods.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the method's OpenRPC object.")
@click.pass_obj
def show(console: Console, name: str, as_json: bool) -> None:
    """Describe the method NAME, with an example to copy."""
    with console.host(prepare=False) as host:
        method = host.methods.find(name)
        if method is None:
            raise click.ClickException(_not_found(name, host.methods))
        named = {each.name.lower(): each for each in by_each_name([method])}
        method = named[name.lower()]
        base = host.settings.base
    if as_json:
        described = msgspec.json.encode(method_object(method))
        console.say(msgspec.json.format(described, indent=2).decode())
    else:
        show_method(method, base=base)


def show_method(method: Method, *, base: str) -> None:
    """Print a method for people; `base` is the service's address."""
    from rich.console import Console as Terminal  # imported late: JSON output does not need it
    from rich.markdown import Markdown
    from rich.text import Text
    from rich.theme import Theme

    # rich's own theme puts black behind code, even on a white terminal.
    terminal = Terminal(highlight=False, theme=Theme({"markdown.code": "bold cyan"}))
    terminal.width = min(terminal.width, _WIDEST) if sys.stdout.isatty() else _WIDEST
    parts = [deprecation(method), method.doc, needs(method)]
    if method.params.__struct_fields__:
        parts += ["**Parameters**", parameters_table(method.params)]
    parts += ["**Codes**", codes_table([*own_codes(method), *system_codes()])]
    terminal.print(Text(method.name, style="bold"), end="\n\n")
    terminal.print(Markdown(plain("\n\n".join(filter(None, parts)))))
    if method.example is not None:
        # Printed unchanged, to be copied: not padded, and not broken at the terminal's width.
        answer = answers(method) or as_json({"result": method.example.result})
        terminal.print(Text("\nExample", style="bold"))
        terminal.print(Text(f"{_curl(method, base)}\n\n{answer}"), soft_wrap=True)


def _curl(method: Method, base: str) -> str:
    """Return the example as a curl command; `USER` and `CODE` stand for a webhook's."""
    assert method.example is not None
    data = msgspec.json.encode(method.example.params).decode()
    return (
        f"curl -s {base}/rest/USER/CODE/{method.name}.json \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(data)}"
    )


def _not_found(name: str, active: Iterable[Method]) -> str:
    lowered = {each.name.lower(): each.name for each in active}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    hint = f"did you mean {lowered[near[0]]}?" if near else "`landyard methods` lists all"
    return f"there is no method '{name}' that is on; {hint}"
