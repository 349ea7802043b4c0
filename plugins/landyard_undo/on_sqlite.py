"""SQLite: triggers of the one connection that writes note each change; they go with it."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_undo import treatment
from landyard_undo.excerpts import complete, digest_of, excerpts, short
from landyard_undo.treatment import Values

__all__ = [
    "add",
    "change",
    "complete",
    "decode",
    "digest",
    "encode",
    "find",
    "remove",
    "unwatch",
    "watch",
]

_TABLES = (
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
)
_OURS = """SELECT name FROM sqlite_temp_master
    WHERE type = 'trigger' AND name LIKE 'undo\\_%' ESCAPE '\\'"""
_DIFFERS = "OLD.{0} IS NOT NEW.{0}"
_TRIGGER = "CREATE TEMP TRIGGER {name} AFTER {kind} ON main.{table} {when} BEGIN {notes} END"
# What is noted of a row is written by Python, which is several times as fast as SQLite's JSON.
_NOTE = """INSERT INTO undo_entry (unit, of_table, of_row, kind, before, after)
    SELECT undo_unit(), {told}, {key}, '{kind}', {before}, {after} {when};"""
_ONE_NUMBER = "'[' || {}.{} || ']'"
_PLAIN = frozenset((str, int, dict, type(None)))
_AT_ONCE = 40  # columns: functions of SQLite take a hundred values


def watch(driver: Any, unit: Callable[[], int]) -> None:
    """Note changes of rows from here on; `unit` tells the number of the transaction."""
    unwatch(driver)
    driver.create_function("undo_unit", 0, unit)
    change = _Change()
    driver.create_function("undo_before", -1, change.before)
    driver.create_function("undo_after", 0, change.after)
    driver.create_function("undo_old", -1, _old)
    driver.create_function("undo_new", -1, _new)
    for statement in _statements(driver):
        driver.execute(statement)


def unwatch(driver: Any) -> None:
    """Note nothing any more."""
    for (name,) in driver.execute(_OURS).fetchall():
        driver.execute(f"DROP TRIGGER temp.{_name(name)}")


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


def encode(values: Values) -> str:
    """Write values as `decode` reads them."""
    # Nearly all are as JSON has them.
    whole = {
        name: value if type(value) in _PLAIN else _whole(value) for name, value in values.items()
    }
    return msgspec.json.encode(whole).decode()


def _statements(driver: Any) -> Iterable[str]:
    """Write the triggers of all tables."""
    for (table,) in driver.execute(_TABLES).fetchall():
        how = treatment.of_table(table)
        if how != treatment.NEVER:
            yield from _triggers(driver, table, how)


def _triggers(driver: Any, table: str, how: str) -> Iterator[str]:
    described = _described(driver, table)
    names = [] if how == treatment.REFUSED else [name for _, name, *_ in described]
    keys = _keys(described)
    is_number = len(keys) == 1 and (keys[0], "INTEGER") in [each[1:3] for each in described]
    for kind in ("insert", "update", "delete"):
        told = [] if how == treatment.KEY and kind == "insert" else names
        parts = [told[first : first + _AT_ONCE] for first in range(0, len(told), _AT_ONCE)]
        row = "NEW" if kind == "insert" else "OLD"
        notes = [
            _NOTE.format(
                told=_text(table),
                key=_ONE_NUMBER.format(row, _name(keys[0]))
                if is_number
                else f"json_array({', '.join(f'{row}.{_name(each)}' for each in keys)})",
                kind=kind,
                when=f"WHERE {_differ(part)}" if kind == "update" and len(parts) > 1 else "",
                **_values(kind, part),
            )
            for part in parts or [[]]
        ]
        yield _TRIGGER.format(
            name=_name(f"undo_{kind}_{table}"),
            kind=kind,
            table=_name(table),
            when=f"WHEN {_differ(told)}" if kind == "update" and told else "",
            notes=" ".join(notes),
        )


def _differ(names: Sequence[str]) -> str:
    return " OR ".join(_DIFFERS.format(_name(each)) for each in names)


def _values(kind: str, names: Sequence[str]) -> dict[str, str]:
    """Write the calls of the functions that tell the values of a row."""
    if not names:
        return {"before": "'{}'", "after": "'{}'"}
    rows = {"insert": ["NEW"], "update": ["OLD", "NEW"], "delete": ["OLD"]}[kind]
    values = [f"{row}.{_name(each)}" for row in rows for each in names]
    given = ", ".join([_text(json.dumps(names)), *values])
    if kind == "update":
        return {"before": f"undo_before({given})", "after": "undo_after()"}
    if kind == "insert":
        return {"before": "NULL", "after": f"undo_new({given})"}
    return {"before": f"undo_old({given})", "after": "NULL"}


class _Change:
    """An update of a row: a trigger gives its values once, and takes two texts."""

    def __init__(self) -> None:
        self._after = ""

    def before(self, columns: str, *values: Any) -> str:
        """Write what the columns that differ were, and keep for `after` what they are."""
        names = _names(columns)
        befores, afters = {}, {}
        for name, old, new in zip(names, values, values[len(names) :], strict=False):
            if old != new:
                befores[name], afters[name] = excerpts(old, new)
        self._after = encode(afters)
        return encode(befores)

    def after(self) -> str:
        """Return what the columns are now, as `before` has written it just now."""
        return self._after


def _old(columns: str, *values: Any) -> str:
    return encode(dict(zip(_names(columns), values, strict=True)))


def _new(columns: str, *values: Any) -> str:
    return encode(dict(zip(_names(columns), map(short, values), strict=True)))


@functools.lru_cache(maxsize=1024)
def _names(columns: str) -> list[str]:
    found: list[str] = json.loads(columns)
    return found


def _whole(value: Any) -> Any:
    # JSON has no bytes, and no infinity.
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float):
        return {"real": repr(value)}
    return value


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return what stands for a longer value of a row."""
    found = find(connection, table, key)
    return digest_of(found and found[name])


def _value(value: Any) -> Any:
    match value:
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"real": str(digits)}:
            return float(digits)
    return value


def _described(driver: Any, table: str) -> list[tuple[Any, ...]]:
    found = driver.execute(f"PRAGMA main.table_info({_name(table)})")
    return list(found.fetchall())


def _keys(described: Sequence[tuple[Any, ...]]) -> list[str]:
    keys = sorted((place, name) for _, name, *_, place in described if place)
    return [name for _, name in keys] or ["rowid"]


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    keys = _keys(_described(connection.connection.driver_connection, table))
    return " AND ".join(f"{_name(each)} IS ?" for each in keys), tuple(key)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
