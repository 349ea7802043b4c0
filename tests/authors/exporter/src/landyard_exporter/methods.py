"""The methods: rows are exported, and old ones forgotten."""

from datetime import datetime

from landyard import Call, Download, Example, MethodGroup, WrongType
from landyard_events import later
from msgspec import Struct

from landyard_exporter.events import Forget
from landyard_exporter.export import Filters, pieces
from landyard_exporter.settings import ExporterSettings

group = MethodGroup(scope="audit")


class Nothing(Struct, frozen=True):
    """There is nothing to say."""


@group.method(
    "audit.export",
    errors=[WrongType],
    transaction=False,
    media_type="text/csv; charset=utf-8",
    example=Example({"since": "2027-05-01T00:00:00Z", "page": 10}),
)
def export(call: Call, params: Filters) -> Download:
    """Answer what has happened to pages and blocks as a CSV file, the oldest first."""
    content = pieces(lambda work: call.transaction(lambda c: work(c.connection)), params)
    return Download(content, name="audit.csv")


@group.method("audit.forget", writes=True, example=Example({}, "2026-05-01T12:00:00Z"))
def forget(call: Call, params: Nothing) -> datetime | None:
    """Have the rows deleted that are older than `exporter.days`, soon after the answer.

    Answers from when on rows are kept; null where all are.
    """
    before = call.settings(ExporterSettings).keeps_from(call.now())
    if before is not None:
        later(call, Forget(before))
    return before
