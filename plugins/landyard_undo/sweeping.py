"""Removes calls from the journal that are too old, or when the journal is too large."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy import LargeBinary, cast, delete, func, select

from landyard import Host
from landyard_undo.settings import UndoSettings
from landyard_undo.tables import ENTRY, FIRST

_AT_ONCE = 1_000  # rows removed in one transaction: calls that write wait for no more
_SIZE = func.coalesce(func.octet_length(ENTRY.before), 0) + func.coalesce(
    func.octet_length(ENTRY.after), 0
)


def sweep(host: Host) -> None:
    """Forget the calls that need not be kept: the work of a job."""
    last = _last(host)
    if last == 0:
        return
    # First the calls of which a part goes: none is ever undone in part.
    of_part = select(ENTRY.request_id).where(last >= FIRST)
    gone = select(ENTRY.id).where(ENTRY.request_id.in_(of_part)).limit(_AT_ONCE)
    _remove(host, delete(ENTRY.id.table).where(ENTRY.id.in_(gone)))
    old = select(ENTRY.id).where(ENTRY.id <= last).limit(_AT_ONCE)
    _remove(host, delete(ENTRY.id.table).where(ENTRY.id.in_(old)))


def _last(host: Host) -> int:
    """Find the last change that is to be forgotten; 0 for none."""
    settings = host.section(UndoSettings)
    before = host.now() - timedelta(days=settings.days)
    size: Any = _SIZE
    if host.store.sqlite:  # older ones have no `octet_length`
        size = func.coalesce(func.length(cast(ENTRY.before, LargeBinary)), 0) + func.coalesce(
            func.length(cast(ENTRY.after, LargeBinary)), 0
        )
    too_old = select(func.max(ENTRY.id)).where(ENTRY.at < before)
    sizes = select(ENTRY.id, func.sum(size).over(order_by=ENTRY.id.desc()).label("total"))
    summed = sizes.subquery()
    with host.store.unit(writes=False) as unit:
        ask: Callable[[Any], Any] = unit.connection.scalar
        last = ask(too_old) or 0
        count = (ask(select(func.max(ENTRY.id))) or 0) - settings.rows
        heavy = 0
        if (ask(select(func.sum(size))) or 0) > settings.bytes:
            over = select(func.max(summed.c.id)).where(summed.c.total > settings.bytes)
            heavy = ask(over) or 0
    return max(last, count, heavy)


def _remove(host: Host, statement: Any) -> None:
    while (
        host.store.run(lambda unit: int(unit.connection.execute(statement).rowcount), writes=True)
        == _AT_ONCE
    ):
        pass
