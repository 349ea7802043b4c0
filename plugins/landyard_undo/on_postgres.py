"""Reads and writes rows on PostgreSQL for an undo, as JSON, in the form that triggers recorded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from landyard_undo.excerpts import complete
from landyard_undo.postgres_triggers import (
    DIGEST_OF,
    TABLES,
    json_text,
    quoted,
    unwatch,
    watch,
)
from landyard_undo.steps import sides as values
from landyard_undo.values import Values

__all__ = [
    "SESSION",
    "UNIT",
    "add",
    "change",
    "complete",
    "digest",
    "encode",
    "find",
    "keys_of",
    "remove",
    "unit_of",
    "unwatch",
    "values",
    "watch",
]

SESSION = "SET landyard.undo = 'on'"
"""The statement by which a session has its changes recorded by the triggers."""
UNIT = "nullif(substr(current_setting('landyard.undo', true), 4), '')"
"""SQL: the unit of this transaction in the journal, a number; NULL before its first change.

At the first change a trigger takes the number from the journal's sequence, and writes it behind
"on " into the setting `landyard.undo`, for this transaction.
"""

_DESCRIBED = f"""SELECT keys, columns
    FROM ({TABLES}) AS of_all (name, keys, columns, _types, _there) WHERE name = %(name)s"""  # noqa: S608 - of ours


def unit_of(connection: Connection) -> int:
    """Return the unit of this transaction; 0 if it has changed nothing."""
    return int(connection.exec_driver_sql(f"SELECT {UNIT}").scalar() or 0)


def keys_of(connection: Connection, table: str) -> list[str]:
    """Return the columns of a table's primary key; none if the table does not exist."""
    return _described(connection, table)[0]


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row and lock it until the transaction ends; None if it does not exist."""
    where, values = _where(connection, table, key)
    query = f"SELECT to_json(undo_row) FROM {_named(table)} AS undo_row WHERE {where} FOR UPDATE"  # noqa: S608
    found: Values | None = connection.exec_driver_sql(query, values).scalar()
    return found


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return the SHA-256 of a row's value in the column `name`, as the journal has it, in hex."""
    where, values = _where(connection, table, key)
    column = DIGEST_OF.format(f"undo_row.{_named(name)}::text")
    query = f"SELECT {column} FROM {_named(table)} AS undo_row WHERE {where}"  # noqa: S608
    return str(connection.exec_driver_sql(query, values).scalar())


def add(connection: Connection, table: str, row: Values) -> None:
    """Insert a row, without columns that no longer exist or that PostgreSQL generates."""
    _, columns = _described(connection, table)
    names = ", ".join(_named(name) for name in row if name in columns)
    connection.exec_driver_sql(
        f"INSERT INTO {_named(table)} ({names}) OVERRIDING SYSTEM VALUE"  # noqa: S608
        f" SELECT {names} FROM json_populate_record(NULL::{_named(table)}, %(row)s::json)",
        {"row": json_text(row)},
    )


def change(connection: Connection, table: str, key: Sequence[Any], values: Values) -> None:
    """Update columns of a row."""
    where, found = _where(connection, table, key)
    names = ", ".join(map(_named, values))
    connection.exec_driver_sql(
        f"UPDATE {_named(table)} AS undo_row SET ({names}) = (SELECT {names}"  # noqa: S608
        f" FROM json_populate_record(NULL::{_named(table)}, %(row)s::json)) WHERE {where}",
        {**found, "row": json_text(values)},
    )


def remove(connection: Connection, table: str, key: Sequence[Any]) -> None:
    """Delete a row."""
    where, values = _where(connection, table, key)
    connection.exec_driver_sql(f"DELETE FROM {_named(table)} AS undo_row WHERE {where}", values)  # noqa: S608


def encode(values: Values) -> str:
    """Return the values of a row as JSON, as the journal stores them."""
    return json_text(values)


def _described(connection: Connection, table: str) -> tuple[list[str], list[str]]:
    """Tell the columns of a table's key, and all that may be written."""
    found = connection.exec_driver_sql(_DESCRIBED, {"name": table}).one_or_none()
    keys, columns = found or (None, None)
    return keys or [], columns or []


def _named(name: str) -> str:
    """Write a name in a statement that has values: a percent sign begins one."""
    return quoted(name).replace("%", "%%")


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, dict[str, str]]:
    keys = keys_of(connection, table)
    named = dict(zip(keys, key, strict=True))
    conditions = (
        f"undo_row.{_named(each)} = (SELECT {_named(each)} FROM"  # noqa: S608
        f" json_populate_record(NULL::{_named(table)}, %(key)s::json))"
        for each in keys
    )
    return " AND ".join(conditions), {"key": json_text(named)}
