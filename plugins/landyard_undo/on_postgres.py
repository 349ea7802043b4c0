"""PostgreSQL: triggers note each change, and rows are found and written as what they have noted."""

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
from landyard_undo.treatment import Values

__all__ = [
    "SESSION",
    "UNIT",
    "add",
    "change",
    "complete",
    "digest",
    "encode",
    "find",
    "remove",
    "unit_of",
    "unwatch",
    "values",
    "watch",
]

SESSION = "SET landyard.undo = 'on'"
"""A session that says so has its changes noted."""
UNIT = "nullif(nullif(current_setting('landyard.undo', true), ''), 'on')"
"""What it says from the first change of a transaction on: the number of that."""

_GENERATED = """SELECT attname::text FROM pg_attribute
    WHERE attrelid = to_regclass(%(named)s) AND attgenerated <> ''"""


def unit_of(connection: Connection) -> int:
    """Tell the number of this transaction; 0 where it has changed nothing."""
    return int(connection.exec_driver_sql(f"SELECT {UNIT}").scalar() or 0)


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row, which nobody else changes before this call ends; None where there is none."""
    where, values = _where(connection, table, key)
    query = f"SELECT to_json(this) FROM {quoted(table)} AS this WHERE {where} FOR UPDATE"  # noqa: S608
    found: Values | None = connection.exec_driver_sql(query, values).scalar()
    return found


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return what stands for a longer value of a row."""
    where, values = _where(connection, table, key)
    column = DIGEST_OF.format(f"this.{quoted(name)}::text")
    query = f"SELECT {column} FROM {quoted(table)} AS this WHERE {where}"  # noqa: S608
    return str(connection.exec_driver_sql(query, values).scalar())


def add(connection: Connection, table: str, row: Values) -> None:
    """Put a row back; PostgreSQL itself writes what is generated."""
    generated = connection.exec_driver_sql(_GENERATED, {"named": quoted(table)}).scalars().all()
    names = ", ".join(quoted(name) for name in row if name not in generated)
    connection.exec_driver_sql(
        f"INSERT INTO {quoted(table)} ({names}) OVERRIDING SYSTEM VALUE"  # noqa: S608
        f" SELECT {names} FROM json_populate_record(NULL::{quoted(table)}, %(row)s::json)",
        {"row": json_text(row)},
    )


def change(connection: Connection, table: str, key: Sequence[Any], values: Values) -> None:
    """Write columns of a row."""
    where, found = _where(connection, table, key)
    names = ", ".join(map(quoted, values))
    connection.exec_driver_sql(
        f"UPDATE {quoted(table)} AS this SET ({names}) = (SELECT {names}"  # noqa: S608
        f" FROM json_populate_record(NULL::{quoted(table)}, %(row)s::json)) WHERE {where}",
        {**found, "row": json_text(values)},
    )


def remove(connection: Connection, table: str, key: Sequence[Any]) -> None:
    """Take a row out."""
    where, values = _where(connection, table, key)
    connection.exec_driver_sql(f"DELETE FROM {quoted(table)} AS this WHERE {where}", values)  # noqa: S608


def encode(values: Values) -> str:
    """Write values of a row, of before or after a change."""
    return json_text(values)


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, dict[str, str]]:
    found = connection.exec_driver_sql(
        f"SELECT keys FROM ({TABLES}) AS of_all (name, keys, _, _types, _there)"  # noqa: S608
        " WHERE name = %(name)s",
        {"name": table},
    )
    keys: list[str] = found.scalar_one()
    named = dict(zip(keys, key, strict=True))
    conditions = (
        f"this.{quoted(each)} = (SELECT {quoted(each)} FROM"  # noqa: S608
        f" json_populate_record(NULL::{quoted(table)}, %(key)s::json))"
        for each in keys
    )
    return " AND ".join(conditions), {"key": json_text(named)}
