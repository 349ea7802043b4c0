"""Spreadsheets: tables as CSV, which programs read as text and calculate nothing of."""

import csv
import io
import re
from collections.abc import Iterable

_SIGNS = "=＝﹦⁼₌+＋﹢⁺₊\\-－﹣⁻₋−@＠﹫|｜"  # noqa: RUF001 - some programs take wide ones, too
# Programs pass over what is not seen, and over quotes that are opened and closed again.
_PASSED_OVER = '\\s"\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff'
# In countries where a semicolon divides cells, programs read the quotes of a cell as plain text.
# Each of these signs then begins a cell or a row.
_DIVIDERS = ";\t\r\n|"
_FORMULA = re.compile(f"(?:^|(?<=[{_DIVIDERS}]))(?=[{_PASSED_OVER}]*[{_SIGNS}])")
_MARK = "\ufeff"  # Excel reads a file with this mark as UTF-8


def write_csv(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV, every cell quoted; no text of a cell is read as a formula.

    A text that would be one begins with an apostrophe, which those programs hide.
    """
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL)
    writer.writerows(map(_cell, row) for row in rows)
    return table.getvalue()


def csv_file(text: str) -> bytes:
    """Write CSV as a file that spreadsheets read as UTF-8."""
    return (_MARK + text.removeprefix(_MARK)).encode()


def _cell(value: object) -> object:
    return _FORMULA.sub("'", value) if isinstance(value, str) else value
