"""Finds files that tables of plugins mention, such as undo's journal, so that they are kept.

A column is marked by `mentions_files` in SQLAlchemy's `info`.
"""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Column, Connection, inspect, select
from sqlmodel import SQLModel


def held_files(connection: Connection, mentioned: Any, keys: Collection[str]) -> set[str]:
    """Find the `keys` that marked columns mention; `mentioned(text)` returns the keys in a text."""
    held: set[str] = set()
    for column in _columns(connection):
        query = select(column).where(column.contains("/files/"))
        for text in connection.execute(query.execution_options(yield_per=100)).scalars():
            held |= mentioned(text).intersection(keys)
    return held


def _columns(connection: Connection) -> Iterator[Column[Any]]:
    for table in SQLModel.metadata.tables.values():
        for column in table.columns:
            if column.info.get("mentions_files") and inspect(connection).has_table(table.name):
                yield column
