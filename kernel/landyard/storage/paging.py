"""Reads a long list of rows in pages of fifty, from the `start` that a call gives."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, func, select

from landyard.core.calls import Paged

_T = TypeVar("_T")
_SIZE = 50


def read_page(
    connection: Connection, query: Select[Any], start: int, make: Callable[[Row[Any]], _T]
) -> Paged[_T]:
    """Read at most 50 rows from the offset `start` on; `next` and `total` where more remain."""
    start = min(max(0, start), 2**31 - 1 - _SIZE)  # a database takes this offset
    rows = connection.execute(query.offset(start).limit(_SIZE + 1)).all()
    items = [make(row) for row in rows[:_SIZE]]
    if len(rows) <= _SIZE:
        return Paged(items)
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    return Paged(items, start + _SIZE, connection.execute(counted).scalar_one())
