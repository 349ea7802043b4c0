"""The CSV export of submissions, for spreadsheet programs."""

from collections.abc import Iterable, Iterator
from typing import Any

from landyard_landing import spreadsheets


def as_csv(rows: Iterable[Any]) -> str:
    """Return submissions as CSV with a first line of labels; no cell is read as a formula."""
    return spreadsheets.write_csv(_lines(list(rows)))


def _lines(rows: list[Any]) -> Iterator[list[str]]:
    labels = {each["name"]: each["label"] for row in rows for each in row.answers}
    yield ["id", "sent", *labels.values(), "consent"]
    for row in rows:
        values = {each["name"]: each["value"] for each in row.answers}
        sent = f"{row.sent_at:%Y-%m-%d %H:%M:%S}"
        yield [str(row.id), sent, *(values.get(name, "") for name in labels), row.consent]
