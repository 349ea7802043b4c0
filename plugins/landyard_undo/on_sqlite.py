"""SQLite: triggers of the one connection that writes note each change; they go with it."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_undo import treatment
from landyard_undo.treatment import DIGEST, SHORT, Values

_TABLES = (
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
)
_OURS = """SELECT name FROM sqlite_temp_master
    WHERE type = 'trigger' AND name LIKE 'undo\\_%' ESCAPE '\\'"""
_CHANGED = "OLD.{} IS NOT NEW.{}"
_TRIGGER = """CREATE TEMP TRIGGER IF NOT EXISTS {name} AFTER {kind} ON main.{table} {when} BEGIN
    INSERT INTO undo_entry (unit, of_table, of_row, kind, before, after)
    VALUES (undo_unit(), {told}, json_array({key}), '{kind}', {before}, {after}); END"""


def watch(connection: Connection, unit: Callable[[], int]) -> None:
    """Note changes of rows from here on; `unit` tells the number of the transaction."""
    driver: Any = connection.connection.driver_connection
    driver.create_function("undo_unit", 0, unit)
    driver.create_function("undo_digest", 1, _digest, deterministic=True)
    for table in connection.exec_driver_sql(_TABLES).scalars().all():
        how = treatment.of_table(table)
        if how != treatment.NEVER:
            for statement in _triggers(connection, table, how):
                connection.exec_driver_sql(statement)


def unwatch(connection: Connection) -> None:
    """Note nothing any more."""
    for name in connection.exec_driver_sql(_OURS).scalars().all():
        connection.exec_driver_sql(f"DROP TRIGGER temp.{_name(name)}")


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row, which nobody else changes before this call ends; None where there is none."""
    where, values = _where(connection, table, key)
    query = f"SELECT * FROM {_name(table)} WHERE {where}"  # noqa: S608 - of the database
    found = connection.exec_driver_sql(query, values)
    row = found.mappings().first()
    return None if row is None else dict(row)


def add(connection: Connection, table: str, row: Values) -> None:
    """Put a row back."""
    names, places = ", ".join(map(_name, row)), ", ".join("?" * len(row))
    statement = f"INSERT INTO {_name(table)} ({names}) VALUES ({places})"  # noqa: S608 - of the database
    connection.exec_driver_sql(statement, tuple(row.values()))


def change(connection: Connection, table: str, key: Sequence[Any], values: Values) -> None:
    """Write columns of a row."""
    where, found = _where(connection, table, key)
    written = ", ".join(f"{_name(name)} = ?" for name in values)
    statement = f"UPDATE {_name(table)} SET {written} WHERE {where}"  # noqa: S608 - of the database
    connection.exec_driver_sql(statement, (*values.values(), *found))


def remove(connection: Connection, table: str, key: Sequence[Any]) -> None:
    """Take a row out."""
    where, values = _where(connection, table, key)
    connection.exec_driver_sql(f"DELETE FROM {_name(table)} WHERE {where}", values)  # noqa: S608


def decode(text: str | None) -> Values:
    """Read values as a trigger has written them."""
    return {name: _value(value) for name, value in msgspec.json.decode(text or "{}").items()}


def _triggers(connection: Connection, table: str, how: str) -> Iterator[str]:
    described = connection.exec_driver_sql(f"PRAGMA main.table_info({_name(table)})").all()
    names = [] if how == treatment.REFUSED else [each.name for each in described]
    of_new = [] if how == treatment.KEY else names
    keys = _keys(connection, table)
    differs = " OR ".join(_CHANGED.replace("{}", _name(each)) for each in names)
    written = {
        "insert": ("NEW", "NULL", _object(of_new, "NEW", _short)),
        "update": (
            "OLD",
            _object(names, "OLD", _json, _CHANGED),
            _object(names, "NEW", _short, _CHANGED),
        ),
        "delete": ("OLD", _object(names, "OLD", _json), "NULL"),
    }
    for kind, (row, before, after) in written.items():
        yield _TRIGGER.format(
            name=_name(f"undo_{kind}_{table}"),
            kind=kind,
            table=_name(table),
            when=f"WHEN {differs}" if kind == "update" and differs else "",
            told=_text(table),
            key=", ".join(f"{row}.{_name(each)}" for each in keys),
            before=before,
            after=after,
        )


def _object(names: Sequence[str], row: str, write: Callable[[str], str], when: str = "1") -> str:
    """Write a JSON object of the columns of a row for which a condition holds."""
    pairs = [
        f"CASE WHEN {when.replace('{}', _name(each))} THEN {_text(f',{json.dumps(each)}:')} ||"
        f" {write(f'{row}.{_name(each)}')} ELSE '' END"
        for each in names
    ]
    return f"'{{' || substr({' || '.join(pairs)}, 2) || '}}'" if pairs else "'{}'"


def _json(value: str) -> str:
    # JSON has no bytes, and SQLite would write fifteen digits.
    return (
        f"CASE typeof({value}) WHEN 'blob' THEN '{{\"hex\":\"' || hex({value}) || '\"}}'"
        f" WHEN 'real' THEN '{{\"real\":\"' || printf('%!.17g', {value}) || '\"}}'"
        f" ELSE json_quote({value}) END"
    )


def _short(value: str) -> str:
    digest = f"'{{\"{DIGEST}\":\"' || undo_digest({value}) || '\"}}'"
    return f"CASE WHEN length({value}) > {SHORT} THEN {digest} ELSE {_json(value)} END"


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return what stands for a longer value of a row."""
    found = find(connection, table, key)
    return _digest(found and found[name])


def _digest(value: Any) -> str:
    data = value if isinstance(value, bytes) else str(value).encode()
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _value(value: Any) -> Any:
    match value:
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"real": str(digits)}:
            return float(digits)
    return value


def _keys(connection: Connection, table: str) -> list[str]:
    described = connection.exec_driver_sql(f"PRAGMA main.table_info({_name(table)})").all()
    keys = [each.name for each in sorted(described, key=lambda each: each.pk) if each.pk]
    return keys or ["rowid"]


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    return " AND ".join(f"{_name(each)} IS ?" for each in _keys(connection, table)), tuple(key)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
