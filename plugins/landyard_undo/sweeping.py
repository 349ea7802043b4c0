"""Sweeping: calls are forgotten when they are too old, or when too much is kept."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy import LargeBinary, cast, delete, func, select

from landyard import Kernel
from landyard_undo.settings import UndoSettings
from landyard_undo.tables import CALL, CHANGE

_AT_ONCE = 1_000  # rows removed in one transaction: calls that write wait for no more
_SIZE = func.coalesce(func.octet_length(CHANGE.before), 0) + func.coalesce(
    func.octet_length(CHANGE.after), 0
)


def sweep(kernel: Kernel) -> None:
    """Forget the calls that need not be kept: the work of a job."""
    last = _last(kernel)
    if last == 0:
        return
    of_old = select(CHANGE.unit).where(CHANGE.id <= last)
    requests = select(CALL.request_id).where(CALL.unit.in_(of_old))
    gone = select(CALL.unit).where(CALL.request_id.in_(requests)).limit(_AT_ONCE)
    _remove(kernel, delete(CALL.unit.table).where(CALL.unit.in_(gone)))
    old = select(CHANGE.id).where(CHANGE.id <= last).limit(_AT_ONCE)
    _remove(kernel, delete(CHANGE.id.table).where(CHANGE.id.in_(old)))


def _last(kernel: Kernel) -> int:
    """Find the last change that is to be forgotten; 0 for none."""
    settings = kernel.section(UndoSettings)
    before = kernel.now() - timedelta(days=settings.days)
    size: Any = _SIZE
    if kernel.store.sqlite:  # older ones have no `octet_length`
        size = func.coalesce(func.length(cast(CHANGE.before, LargeBinary)), 0) + func.coalesce(
            func.length(cast(CHANGE.after, LargeBinary)), 0
        )
    too_old = (
        select(func.max(CHANGE.id))
        .join(CALL.unit.table, CALL.unit == CHANGE.unit)
        .where(CALL.at < before)
    )
    sizes = select(CHANGE.id, func.sum(size).over(order_by=CHANGE.id.desc()).label("total"))
    summed = sizes.subquery()
    with kernel.store.unit(writes=False) as unit:
        ask: Callable[[Any], Any] = unit.connection.scalar
        last = ask(too_old) or 0
        count = (ask(select(func.max(CHANGE.id))) or 0) - settings.rows
        heavy = 0
        if (ask(select(func.sum(size))) or 0) > settings.bytes:
            over = select(func.max(summed.c.id)).where(summed.c.total > settings.bytes)
            heavy = ask(over) or 0
    return max(last, count, heavy)


def _remove(kernel: Kernel, statement: Any) -> None:
    while (
        kernel.store.run(lambda unit: int(unit.connection.execute(statement).rowcount), writes=True)
        == _AT_ONCE
    ):
        pass
