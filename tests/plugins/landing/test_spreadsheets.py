"""Spreadsheet files: no cell is a formula whatever separates cells, and files are UTF-8."""

import csv
import io

from tables import for_each

from landyard_console.csv_files import csv_file
from landyard_landing.spreadsheets import write_csv

HARMFUL = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "  =1",
    "\u00a0\u2003=1",
    "\u200b=1",
    "\u202a\ufeff-1",
    "\uff1d1+1",
    "\u207c1",
    "\u22121",
    '"=1+1"',
    "a;=1+1;b",
    "a; =1",
    'a;"=1"',
    "a;\uff1d1",
    "a\t=1",
    "a\r\n=1+1",
    "a\n\n+1",
    "a|=1",
    "|=1",
    "\n=1",
    ";\n \t;@x",
    "a;\n\n=1\n=2",
    "a;b;\u200b@x",
    ";;=1",
]


@for_each("text", HARMFUL)
def test_no_cell_is_a_formula_whatever_separates_cells(text: str) -> None:
    written = write_csv([["id", text, "end"]])

    (cells,) = csv.reader(io.StringIO(written, newline=""))
    for sign in ";\t|\n\r":
        for cell in cells[1].split(sign):
            seen = cell.lstrip(' "\t\r\n\u00a0\u2003\u200b\u202a\ufeff')
            assert seen[:1] not in [*"=+-@", "\uff1d", "\u207c", "\u2212"], (sign, cell)
    assert cells[1].replace("'", "") == text


@for_each(
    "text",
    ["a = b", "2 - 1", "ann@example.org", "a, b; c", "x\ny", "Grüße", "it's", "", "a|b", "a;b"],
)
def test_a_text_that_is_no_formula_is_unchanged(text: str) -> None:
    (cells,) = csv.reader(io.StringIO(write_csv([[text, 3, None]]), newline=""))

    assert cells == [text, "3", ""]


def test_a_file_starts_with_one_utf_8_mark() -> None:
    file = csv_file(write_csv([["Grüße"]]))

    assert file == b'\xef\xbb\xbf"Gr\xc3\xbc\xc3\x9fe"\r\n'
    assert csv_file(file.decode()) == file


def test_a_long_text_of_separators_takes_little_time() -> None:
    text = "a" + "\n \t;" * 100_000 + "b"

    assert text in write_csv([[text]])
