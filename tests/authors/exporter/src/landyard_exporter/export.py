"""The export: rows as lines of CSV, a thousand at a time."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any

from landyard import Id
from msgspec import Meta, Struct
from sqlalchemy import Connection
from sqlmodel import col, select

from landyard_exporter.tables import Row

COLUMNS = ("id", "happened_at", "user_id", "topic", "page_id", "site_id", "block_id")
AT_ONCE = 1000

Work = Callable[[Connection], Sequence[Any]]
Aware = Annotated[datetime, Meta(tz=True)]


class Filters(Struct, frozen=True):
    """A filter that is left out selects everything.

    `since`: the first moment, with a time zone; `until`: the moment after the last one, with a time
    zone; `page`: a page's id.
    """

    since: Aware | None = None
    until: Aware | None = None
    page: Id | None = None


def pieces(run: Callable[[Work], Sequence[Any]], filters: Filters) -> Iterator[bytes]:
    """Make the file piece by piece; `run` gives each read of the database a transaction."""
    yield _lines([COLUMNS])
    last = 0
    while rows := run(_look(filters, last)):
        yield _lines((row[0], row[1].isoformat(), *row[2:]) for row in rows)
        last = rows[-1][0]


def _look(filters: Filters, last: int) -> Work:
    query = select(*(getattr(Row, name) for name in COLUMNS)).where(col(Row.id) > last)
    if filters.since is not None:
        query = query.where(col(Row.happened_at) >= filters.since)
    if filters.until is not None:
        query = query.where(col(Row.happened_at) < filters.until)
    if filters.page is not None:
        query = query.where(col(Row.page_id) == filters.page)
    query = query.order_by(col(Row.id)).limit(AT_ONCE)
    return lambda connection: connection.execute(query).all()


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()
