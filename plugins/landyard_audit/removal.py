"""Removal: rows of the audit go when they are too old or too many."""

from datetime import timedelta
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, delete, false, func, or_, select

from landyard import Host
from landyard_audit.rows import AUDIT_ROW

AT_ONCE = 5_000  # rows removed in one transaction: calls that write wait for no more


class AuditSettings(Struct, frozen=True):
    """How long rows are kept, and how many at most; 0 is for ever. The section `[audit]`."""

    days: Annotated[float, Meta(ge=0, le=36_500)] = 180.0
    rows: Annotated[int, Meta(ge=0)] = 1_000_000


def remove_old(host: Host) -> None:
    """Remove rows that are too old or too many: the work of a job."""
    settings, row = host.section(AuditSettings), AUDIT_ROW.c
    goes: list[ColumnElement[bool]] = [false()]
    if settings.days:
        goes.append(row.at < host.now() - timedelta(days=settings.days))
    if settings.rows:
        newest = select(func.max(row.id)).correlate(None).scalar_subquery()
        goes.append(row.id <= newest - settings.rows)
    old = select(row.id).where(or_(*goes)).order_by(row.id).limit(AT_ONCE)
    while True:
        # Looked for apart: that takes long, and nobody waits for a transaction that reads.
        with host.store.unit(writes=False) as unit:
            ids = unit.connection.scalars(old).all()
        if not ids:
            return
        with host.store.unit(writes=True) as unit:
            unit.connection.execute(delete(AUDIT_ROW).where(row.id.in_(ids)))
