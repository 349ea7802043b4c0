"""How plugins stand, on a terminal: a line for each, or all about one."""

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from math import floor, log10
from typing import Any

from rich import box
from rich.console import Console as Terminal
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from landyard.overview import Line

_WIDEST = 100
_PIPE = 10_000  # a pipe has no width: what is read by `grep` and `cut` stays on one line
_STYLES = {"enabled": "green", "disabled": "dim", "failed": "bold red", "quarantined": "yellow"}
_COLUMNS = ("plugin", "from", "state", "methods", "calls", "errors", "p95")
_RIGHT = frozenset(("methods", "calls", "errors", "p95"))


def show_lines(lines: Sequence[Line]) -> None:
    """Print a table of plugins, with the reasons below where they have no room beside."""
    watched = sys.stdout.isatty()
    terminal = Terminal(highlight=False, width=None if watched else _PIPE)
    if not lines:
        terminal.print("none")
        return
    table = _table(lines, reasons=True)
    unbounded = terminal.options.update(max_width=_PIPE)
    if Measurement.get(terminal, unbounded, table).maximum <= terminal.width:
        terminal.print(table)
        return
    terminal.print(_table(lines, reasons=False))
    for line in lines:
        if line.state.reason:
            said = Text.assemble((f"{line.plugin.name}: ", "bold"), line.state.reason)
            terminal.print(Padding(said, (0, 0, 0, 1), expand=False))


def show_facts(title: str, facts: Iterable[tuple[str, Any]]) -> None:
    """Print what is known about one thing; what is empty is left out."""
    watched = sys.stdout.isatty()
    terminal = Terminal(highlight=False, width=None if watched else _PIPE)
    if watched:
        terminal.width = min(terminal.width, _WIDEST)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        said = _said(value)
        if said:
            table.add_row(name, Text(said, style=_STYLES.get(said, "") if name == "state" else ""))
    terminal.print(Text(title, style="bold"))
    terminal.print(Padding(table, (0, 0, 0, 2), expand=False))


def duration(seconds: float) -> str:
    """Write a time with two digits: `0.31 ms`, `12 ms`, `1.2 s`."""
    unit, amount = ("s", seconds) if seconds >= 0.995 else ("ms", 1000 * seconds)
    if amount <= 0:
        return f"0 {unit}"
    places = 1 - floor(log10(amount))
    rounded = round(amount, places)
    return f"{rounded:.{max(0, 1 - floor(log10(rounded)))}f} {unit}"


def _table(lines: Sequence[Line], *, reasons: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in _COLUMNS:
        justify: Any = "right" if column in _RIGHT else "left"
        table.add_column(
            column, overflow="fold", no_wrap=column not in _COLUMNS[:2], justify=justify
        )
    if reasons:
        table.add_column("reason", overflow="fold")
    for line in lines:
        table.add_row(*_cells(line), *([Text(line.state.reason)] if reasons else []))
    return table


def _cells(line: Line) -> list[Text]:
    state, hour = line.state, line.hour
    known = len(state.methods)
    count = f"{known - len(line.off)} of {known}" if line.off else str(known or "")
    calls = [str(hour.calls), str(hour.errors), duration(hour.p95)] if hour.calls else [""] * 3
    cells = [Text(text) for text in (state.name, line.plugin.shipped_by, state.state, count)]
    cells[2].stylize(_STYLES[state.state])
    numbers = [Text(text) for text in calls]
    if hour.errors:
        numbers[1].stylize("red")
    return [*cells, *numbers]


def _said(value: Any) -> str:
    match value:
        case None | 0:
            return ""
        case bool():
            return "yes" if value else ""
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S} UTC"
        case list() | tuple():
            return "\n".join(str(each) for each in value)
    return str(value)
