"""The table of all figures with their bars, and of the bars that are missed."""

from collections.abc import Sequence

from bench.figures import Figure
from rich import box
from rich.console import Console
from rich.table import Table


def show(console: Console, figures: Sequence[Figure], absent: Sequence[str]) -> int:
    """Print the table; return 1 when a bar is missed, else 0."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("what", no_wrap=True)
    for column in ("figure", "from - to", "bar"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("met?")
    table.add_column("medians; by processor time", no_wrap=True)
    for each in figures:
        table.add_row(each.what, *cells(each), each.note)
    console.print(table)
    for text in absent:
        console.print(f"Not measured: {text}")
    short = [each for each in figures if not each.met]
    for each in short:
        console.print(f"Falls short: {each.what}: {_value(each, each.value)}, bar {_bar(each)}")
    if not short:
        console.print("Every bar is met.")
    return 1 if short else 0


def cells(figure: Figure) -> list[str]:
    """Format a figure's value, spread, bar, and whether the bar is met."""
    low, high = (_value(figure, value) for value in figure.spread)
    spread = "" if low == high else f"{low} - {high}"
    met = ("yes" if figure.met else "no") if figure.bar else ""
    return [_value(figure, figure.value), spread, _bar(figure), met]


def _value(figure: Figure, value: float) -> str:
    digits = 0 if figure.unit == "MiB" else 2
    return f"{value:.{digits}f} {figure.unit}"


def _bar(figure: Figure) -> str:
    if not figure.bar:
        return ""
    return f"{'<=' if figure.at_most else '>='} {figure.bar:g}"
