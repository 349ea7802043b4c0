"""Exports: what was sent to a form as a table, for programs that calculate."""

import csv
import io
from collections.abc import Iterable
from typing import Any

_FORMULA = tuple("=+-@|\t\r\n\uff1d\uff0b\uff0d\uff20")  # some programs take wide ones as well


def as_csv(rows: Iterable[Any]) -> str:
    """Write submissions as CSV with a line of labels first; no cell is read as a formula."""
    rows = list(rows)
    labels = {each["name"]: each["label"] for row in rows for each in row.answers}
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL)
    writer.writerow(map(_cell, ["id", "sent", *labels.values(), "consent"]))
    for row in rows:
        values = {each["name"]: each["value"] for each in row.answers}
        sent = f"{row.sent_at:%Y-%m-%d %H:%M:%S}"
        cells = [str(row.id), sent, *(values.get(name, "") for name in labels), row.consent]
        writer.writerow(map(_cell, cells))
    return table.getvalue()


def _cell(text: str) -> str:
    """Write what a visitor has sent so that it is text: those programs hide the apostrophe."""
    return f"'{text}" if text.lstrip(" \u00a0").startswith(_FORMULA) else text
