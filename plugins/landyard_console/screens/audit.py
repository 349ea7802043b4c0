"""The audit screen: filtered rows of the audit log, also as a CSV file."""

from collections.abc import Iterator
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from landyard_console.csv_files import csv_file
from landyard_console.screens.keys import names_of
from landyard_console.view import Answer, Shown, View
from landyard_landing import spreadsheets

_FILTERS = ("method", "credential", "about", "outcome", "since", "address", "request_id")
_MOST = 10_000  # lines of a file
_COLUMNS = ("at", "user_id", "credential", "address", "method", "plugin", "subject", "outcome")


def show(view: View) -> Shown | Answer:
    """Return the screen of the filtered rows, or a CSV file of them."""
    filters: dict[str, Any] = {
        name: view.query[name].strip() for name in _FILTERS if view.query.get(name, "").strip()
    }
    user = view.query.get("user", "")
    if user.isdecimal() and len(user) < 10:
        filters["user_id"] = int(user)
    if view.query.get("failed"):
        filters["failed"] = True
    if view.path == ("export",):
        return _export(view, filters)
    part = view.part("landyard.audit.list", view.start, **filters, start=view.start)
    query = {name: view.query[name] for name in (*_FILTERS, "user", "failed") if name in view.query}
    main = view.html(
        "audit.html",
        part=part,
        names=names_of(view) if view.can("landyard.user.list") else {},
        wanted=filters,
        export=f"/-/console/audit/export?{urlencode(query)}",
        page_at=lambda start: f"/-/console/audit?{urlencode({**query, 'start': start})}",
    )
    return Shown(title=view.text("audit.title"), main=main)


def _export(view: View, filters: dict[str, Any]) -> Answer:
    names = (*_COLUMNS, "seconds", "request_id")
    rows = ([each[name] for name in names] for each in _lines(view, filters))
    return Answer(
        body=csv_file(spreadsheets.write_csv(chain([names], rows))),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="audit.csv"'},
    )


def _lines(view: View, filters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    start: int | None = 0
    while start is not None and start < _MOST:
        part = view.part("landyard.audit.list", start, **filters, start=start)
        yield from part.items
        start = part.next
