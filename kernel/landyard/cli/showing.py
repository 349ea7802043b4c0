"""One method on a terminal: what it does, what it takes, what it answers, how it is called."""

import shlex
import sys
from collections.abc import Iterable

import msgspec
from msgspec import UNSET
from rich import box
from rich.console import Console as Terminal
from rich.json import JSON
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from landyard.describing import Code, deprecation, own_codes, plain, size, system_codes
from landyard.methods import Method
from landyard.shapes import Parameter, parameters, said
from landyard.wording import visible

_WIDEST = 100
_ON_ANY_GROUND = Theme({"markdown.code": "bold cyan"})  # rich's own puts black behind it


def show_method(method: Method, *, base: str) -> None:
    """Print a method for people; `base` is the service's address."""
    watched = sys.stdout.isatty()
    width = None if watched else _WIDEST
    terminal = Terminal(highlight=False, width=width, theme=_ON_ANY_GROUND)
    terminal.width = min(terminal.width, _WIDEST)
    terminal.print(Text(method.name, style="bold"))
    notice = deprecation(method)
    if notice:
        terminal.print(Markdown(visible(plain(notice))), style="yellow")
    terminal.print()
    terminal.print(Markdown(visible(plain(method.doc))))
    terminal.print()
    terminal.print(Padding(_facts(method), (0, 0, 1, 2)))
    if method.params.__struct_fields__:
        _titled(terminal, "Parameters", _parameters(parameters(method.params)))
    _titled(terminal, "Codes", _codes([*own_codes(method), *system_codes()]))
    if method.example is not None:
        _heading(terminal, "Example")
        # As it is, for it is copied: neither padded nor broken where the terminal ends.
        terminal.print(Text(curl(method, base)), soft_wrap=True)
        answer = msgspec.json.encode({"result": method.example.result})
        written = msgspec.json.format(answer, indent=2).decode()
        terminal.print()
        terminal.print(JSON(written) if watched else Text(written), soft_wrap=True)


def curl(method: Method, base: str) -> str:
    """Write the example as a command; `USER` and `CODE` stand for a webhook's."""
    assert method.example is not None
    data = msgspec.json.encode(method.example.params).decode()
    return (
        f"curl -s {base}/rest/USER/CODE/{method.name}.json \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(data)}"
    )


def _facts(method: Method) -> Table:
    rows = {
        "plugin": f"{method.plugin} {method.version}".rstrip(),
        "scope": method.scope or "none: open to every credential",
        "right": method.right or "none",
        "kind": "writes" if method.writes else "reads",
        "time limit": f"{method.seconds:g} s" if method.seconds is not None else "",
        "body": f"up to {size(method.bounds.size)}" if method.bounds.size else "",
    }
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            table.add_row(name, Text(value))
    return table


def _parameters(asked: Iterable[Parameter]) -> Table:
    table = _table("parameter", "type", "", "what it is")
    for name, each in _flat(asked):
        state = "required" if each.required else ""
        if each.default is not UNSET and each.default not in ({}, [], ""):
            state = f"default {msgspec.json.encode(each.default).decode()}"
        table.add_row(Text(name, style="cyan"), said(each), state, Text(each.text))
    return table


def _flat(asked: Iterable[Parameter], above: str = "") -> Iterable[tuple[str, Parameter]]:
    for each in asked:
        name = f"{above}{each.name}"
        yield name, each
        if each.inner is not None:
            yield from _flat(parameters(each.inner), f"{name}.")


def _codes(codes: Iterable[Code]) -> Table:
    table = _table("code", "status", "when")
    for each in codes:
        style = "dim" if each.system else ""
        table.add_row(
            Text(each.code, style=style or "red"), str(each.status), Text(each.text), style=style
        )
    return table


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=index == 0)
    return table


def _titled(terminal: Terminal, title: str, table: Table) -> None:
    _heading(terminal, title)
    terminal.print(table)


def _heading(terminal: Terminal, title: str) -> None:
    terminal.print(Text(title, style="bold"))
