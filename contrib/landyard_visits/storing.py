"""Storage of visit counts, and the job that removes those that are old or of deleted pages."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update

from landyard import Host, UnitOfWork
from landyard_landing import advisory_lock, tables
from landyard_visits.settings import VisitSettings
from landyard_visits.tables import DAY

_TABLE = DAY.page_id.table
_AT_ONCE = 500  # pages looked up in one statement

Counts = Mapping[tuple[int, date], int]
"""Visits by page and day."""


def store_counts(host: Host, counts: Counts) -> None:
    """Add visits to the stored counts; pages that visitors cannot see are left out."""
    host.store.run(lambda unit: _store(unit, counts), writes=True)


def _store(unit: UnitOfWork, counts: Counts) -> None:
    public = _public(unit, {page_id for page_id, _ in counts})
    advisory_lock.acquire(unit.connection, "visits")
    for (page_id, day), visits in sorted(counts.items()):
        if page_id not in public:
            continue
        row = (DAY.page_id == page_id, DAY.day == day)
        added = update(_TABLE).where(*row).values(visits=DAY.visits + visits)
        if not unit.connection.execute(added).rowcount:
            new = {"page_id": page_id, "day": day, "visits": visits}
            unit.connection.execute(insert(_TABLE).values(**new))


def _public(unit: UnitOfWork, page_ids: set[int]) -> set[int]:
    ids = sorted(page_ids)
    public: set[int] = set()
    for first in range(0, len(ids), _AT_ONCE):
        some = tables.PAGE.id.in_(ids[first : first + _AT_ONCE])
        query = select(tables.PAGE.id).where(
            some, tables.PAGE.active, tables.PAGE.published, ~tables.PAGE.deleted
        )
        public.update(unit.connection.execute(query).scalars())
    return public


def sweep(host: Host) -> None:
    """Remove counts older than the setting `days`, and counts of pages that no longer exist."""
    before = host.now().date() - timedelta(days=host.section(VisitSettings).days)
    of_missing_page = ~select(tables.PAGE.id).where(tables.PAGE.id == DAY.page_id).exists()
    for condition in (DAY.day < before, of_missing_page):
        _remove(host, delete(_TABLE).where(condition))


def _remove(host: Host, statement: Any) -> None:
    host.store.run(lambda unit: unit.connection.execute(statement), writes=True)
