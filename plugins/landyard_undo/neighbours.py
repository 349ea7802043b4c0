"""Finds the rows that refer to a row, or have its unique values."""

import functools
import operator
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, UniqueConstraint, select
from sqlmodel import SQLModel

from landyard_undo.planning import Planned
from landyard_undo.steps import Row, Step

_MOST = 5  # of one kind


def referring(connection: Connection, step: Step) -> list[Row]:
    """List rows that refer to a row by a foreign key, by their tables and keys; some of them."""
    if len(step.key) != 1:
        return []
    return [
        each
        for table in SQLModel.metadata.tables.values()
        for column in table.columns
        if any(key.target_fullname.partition(".")[0] == step.table for key in column.foreign_keys)
        for each in _rows(connection, table, column == step.key[0])
    ]


def in_place_of(connection: Connection, planned: Planned) -> list[Row]:
    """List the rows that have what is unique of a row that is to be written."""
    table, then = SQLModel.metadata.tables.get(planned.table), planned.then or {}
    if table is None:
        return []
    own = (planned.table, planned.step.row)
    found = [
        each
        for columns in _unique(table)
        if all(then.get(column.name) is not None for column in columns)
        for each in _rows(
            connection,
            table,
            functools.reduce(operator.and_, (column == then[column.name] for column in columns)),
        )
    ]
    return [each for each in found if each != own]


def _unique(table: Table) -> Iterator[Iterable[Any]]:
    yield from ([column] for column in table.columns if column.unique)
    yield table.primary_key.columns
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield constraint.columns


def _rows(connection: Connection, table: Table, where: ColumnElement[bool]) -> list[Row]:
    query = select(*table.primary_key).where(where).limit(_MOST)
    keys = [msgspec.json.encode(list(row)).decode() for row in connection.execute(query)]
    return [(f"{table.name}", key) for key in keys]  # a plain text
