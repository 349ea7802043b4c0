"""Holding: files that other tables still mention are not removed, though no page uses them.

A column says so in SQLAlchemy's `info`: `mentions_files`. The journal of undo does.
"""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Column, Connection, inspect, select

from landyard import METADATA


def held_files(connection: Connection, mentioned: Any, keys: Collection[str]) -> set[str]:
    """Find which of `keys` are mentioned in such a column; `mentioned(text)` reads a text's."""
    held: set[str] = set()
    for column in _columns(connection):
        query = select(column).where(column.contains("/files/"))
        for text in connection.execute(query.execution_options(yield_per=100)).scalars():
            held |= mentioned(text).intersection(keys)
    return held


def _columns(connection: Connection) -> Iterator[Column[Any]]:
    for table in METADATA.tables.values():
        for column in table.columns:
            if column.info.get("mentions_files") and inspect(connection).has_table(table.name):
                yield column
