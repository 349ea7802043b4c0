"""The job that removes old addresses of deleted targets, and surplus ones of each target."""

from typing import Any

from sqlalchemy import delete, func, select

from landyard import Host
from landyard_landing import tables
from landyard_redirects.tables import DOMAIN, FOLDER_CODE, OLD, PAGE_CODE, PATH, SITE_CODE

KEPT = 50
"""The most old addresses of one target, besides those added by callers."""
_AT_ONCE = 1000  # rows that are removed in one transaction
_TARGETS = {
    DOMAIN: tables.SITE.id,
    SITE_CODE: tables.SITE.id,
    FOLDER_CODE: tables.FOLDER.id,
    PAGE_CODE: tables.PAGE.id,
    PATH: tables.PAGE.id,
}


def sweep(host: Host) -> None:
    """Remove old addresses without a target, and beyond the latest 50 of a target."""
    for kind, target in _TARGETS.items():
        target_exists = select(target).where(target == OLD.target_id).exists()
        _remove(host, select(OLD.id).where(OLD.kind == kind, ~target_exists))
    place = func.row_number().over(partition_by=(OLD.kind, OLD.target_id), order_by=OLD.id.desc())
    counted = select(OLD.id, place.label("place")).where(OLD.kind != PATH).subquery()
    _remove(host, select(counted.c.id).where(counted.c.place > KEPT))


def _remove(host: Host, chosen: Any) -> None:
    statement = delete(OLD.id.table).where(OLD.id.in_(chosen.limit(_AT_ONCE)))
    while _removed(host, statement) == _AT_ONCE:
        pass


def _removed(host: Host, statement: Any) -> int:
    return host.store.run(
        lambda unit: int(unit.connection.execute(statement).rowcount), writes=True
    )
