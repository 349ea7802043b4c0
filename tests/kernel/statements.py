"""The statements that a store sends to its database, for tests that count them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from landyard.storage.store import Store


@contextmanager
def noted(store: Store) -> Iterator[list[str]]:
    """Write down each statement, in order, until the end of the block."""
    statements: list[str] = []

    def executed(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    for engine in store.engines:
        sa.event.listen(engine, "before_cursor_execute", executed)
    try:
        yield statements
    finally:
        for engine in store.engines:
            sa.event.remove(engine, "before_cursor_execute", executed)
