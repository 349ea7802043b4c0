"""The job that removes rows of the audit log that are too old or too many."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, delete, false, func, or_, select

from landyard import Host
from landyard_audit.rows import AUDIT_ROW

AT_ONCE = 5_000  # rows removed in one transaction, because calls that write wait for it


class AuditSettings(Struct, frozen=True):
    """The settings in section `[audit]`: the most days and rows to keep; 0 is no limit."""

    days: Annotated[float, Meta(ge=0, le=36_500)] = 180.0
    rows: Annotated[int, Meta(ge=0)] = 1_000_000


def remove_old(host: Host) -> None:
    """Remove rows beyond the limits of the settings."""
    settings, row = host.section(AuditSettings), AUDIT_ROW.c
    obsolete: list[ColumnElement[bool]] = [false()]
    if settings.days:
        obsolete.append(row.at < host.now() - timedelta(days=settings.days))
    if settings.rows:
        newest = select(func.max(row.id)).correlate(None).scalar_subquery()
        obsolete.append(row.id <= newest - settings.rows)
    old = select(row.id).where(or_(*obsolete)).order_by(row.id).limit(AT_ONCE)
    while True:
        # The search takes long, so it has a transaction of its own: nobody waits for a reading one.
        with host.store.unit(writes=False) as unit:
            ids = unit.connection.scalars(old).all()
        if not ids:
            return
        with host.store.unit(writes=True) as unit:
            unit.connection.execute(delete(AUDIT_ROW).where(row.id.in_(ids)))
