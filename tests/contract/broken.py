"""A database that breaks: what is asked of it raises what nobody expected."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from landyard.testing import Service


@contextmanager
def broken(service: Service, names: Sequence[str]) -> Iterator[None]:
    """Break each query with one of `names` in it, such as a table's."""

    def break_it(
        _connection: Any, _cursor: Any, sql: str, _values: Any, _context: Any, _many: bool
    ) -> None:
        if any(name in sql for name in names):
            raise ZeroDivisionError(sql)

    for engine in service.kernel.store.engines:
        sa.event.listen(engine, "before_cursor_execute", break_it)
    yield
    for engine in service.kernel.store.engines:
        sa.event.remove(engine, "before_cursor_execute", break_it)
