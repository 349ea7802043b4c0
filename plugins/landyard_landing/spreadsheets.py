"""Writes tables as CSV in which spreadsheet programs run no formula."""

import csv
import io
import re
from collections.abc import Iterable

_SIGNS = frozenset("=＝﹦⁼₌+＋﹢⁺₊-－﹣⁻₋−@＠﹫|｜")  # noqa: RUF001 - some programs take wide ones
# In countries where a semicolon divides cells, programs read the quotes of a cell as plain text.
# Each of these signs then begins a cell or a row.
_DIVIDERS = ";\t\r\n|"
# Programs ignore invisible characters, and quotes that are opened and closed again.
_IGNORED = '\\s"\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff'
_BEGINNING = re.compile(f"(?:^|[{_DIVIDERS}])[{_DIVIDERS}{_IGNORED}]*")


def write_csv(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV with every cell quoted; no text is read as a formula.

    A text that could be a formula gets an apostrophe in front, which those programs hide.
    """
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL)
    writer.writerows(map(_cell, row) for row in rows)
    return table.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    marked = _BEGINNING.sub(_marked, value)
    return f"'{marked}" if marked.startswith(tuple(_DIVIDERS)) else marked


def _marked(found: re.Match[str]) -> str:
    """Put an apostrophe behind the last divider of a run, if a formula could follow it."""
    run, following = found[0], found.string[found.end() : found.end() + 1]
    if following not in _SIGNS:
        return run
    last = max(run.rfind(each) for each in _DIVIDERS) + 1
    return f"{run[:last]}'{run[last:]}"
