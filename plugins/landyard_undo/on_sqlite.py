"""Reads and writes rows on SQLite for an undo, in the form that triggers recorded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from landyard_undo.excerpts import complete, digest_of
from landyard_undo.sqlite_triggers import Column, columns_of, key_names, quoted, unwatch, watch
from landyard_undo.sqlite_values import encode, values
from landyard_undo.values import Values

__all__ = [
    "add",
    "change",
    "complete",
    "digest",
    "encode",
    "find",
    "keys_of",
    "remove",
    "unwatch",
    "values",
    "watch",
]


def keys_of(connection: Connection, table: str) -> list[str]:
    """Return the columns of a table's primary key; none if the table does not exist."""
    columns = _columns(connection, table)
    return key_names(columns) if columns else []


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row, which only this transaction may change until it ends; None if there is none."""
    where, values = _where(connection, table, key)
    query = f"SELECT * FROM {quoted(table)} WHERE {where}"  # noqa: S608 - of the database
    found = connection.exec_driver_sql(query, values)
    row = found.mappings().first()
    return None if row is None else dict(row)


def add(connection: Connection, table: str, row: Values) -> None:
    """Insert a row, without columns that no longer exist."""
    row = {each.name: row[each.name] for each in _columns(connection, table) if each.name in row}
    names, places = ", ".join(map(quoted, row)), ", ".join("?" * len(row))
    statement = f"INSERT INTO {quoted(table)} ({names}) VALUES ({places})"  # noqa: S608 - of the database
    connection.exec_driver_sql(statement, tuple(row.values()))


def change(connection: Connection, table: str, key: Sequence[Any], values: Values) -> None:
    """Update columns of a row."""
    where, found = _where(connection, table, key)
    written = ", ".join(f"{quoted(name)} = ?" for name in values)
    statement = f"UPDATE {quoted(table)} SET {written} WHERE {where}"  # noqa: S608 - of the database
    connection.exec_driver_sql(statement, (*values.values(), *found))


def remove(connection: Connection, table: str, key: Sequence[Any]) -> None:
    """Delete a row."""
    where, values = _where(connection, table, key)
    connection.exec_driver_sql(f"DELETE FROM {quoted(table)} WHERE {where}", values)  # noqa: S608


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return the SHA-256 of a row's value in the column `name`, as the journal has it, in hex."""
    found = find(connection, table, key)
    return digest_of(found and found[name])


def _columns(connection: Connection, table: str) -> list[Column]:
    return columns_of(connection.connection.driver_connection, table)


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    keys = keys_of(connection, table)
    return " AND ".join(f"{quoted(each)} IS ?" for each in keys), tuple(key)
