"""A database failure for tests: chosen queries raise an exception that nobody expects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from landyard.testing import Service


@contextmanager
def broken(service: Service, names: Sequence[str]) -> Iterator[None]:
    """Make each query that contains one of `names`, such as a table's name, raise an error."""

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
