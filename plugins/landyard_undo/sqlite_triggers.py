"""Creates the temporary SQLite triggers that record each change of a row, so it can be undone."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.sqlite_values import write_old, writer_of_changed

_TABLES = (
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
)
_OURS = """SELECT name FROM sqlite_temp_master
    WHERE type = 'trigger' AND name LIKE 'undo\\_%' ESCAPE '\\'"""
_TRIGGER = "CREATE TEMP TRIGGER {name} AFTER {kind} ON main.{table} {when} BEGIN {notes} END"
_NOTE = """INSERT INTO undo_entry (unit, of_table, of_row, kind, before, after)
    SELECT undo_unit(), {table}, {key}, '{kind}', {before}, {after} {when};"""
_ONE_NUMBER = "'[' || {}.{} || ']'"
_DIFFERS = "OLD.{0} IS NOT NEW.{0}"
# A text may be long: of an update it is handed over where it has changed, and as bytes, which
# nobody decodes. Else a column of texts holds only bytes: their digits are handed over.
_OF_TEXTS = ("CHAR", "CLOB", "TEXT")  # in the type of a column
_TEXT = """CASE WHEN OLD.{1} IS NEW.{1} THEN NULL
    WHEN typeof({0}.{1}) = 'blob' THEN hex({0}.{1}) ELSE CAST({0}.{1} AS BLOB) END"""
_AT_ONCE = 40  # columns: functions of SQLite take a hundred values


class Column(Struct, frozen=True):
    """A column of a table; `place` is that in the primary key, from 1 on."""

    name: str
    type: str
    place: int

    @property
    def is_of_texts(self) -> bool:
        """Whether whatever is written there becomes a text, but for bytes."""
        kind = self.type.upper()
        return "INT" not in kind and any(each in kind for each in _OF_TEXTS)


class Trigger(Struct, frozen=True):
    """A trigger, and the functions that it calls: for which columns, by their names."""

    statement: str
    kind: str
    functions: dict[str, Sequence[Column]]


def watch(
    driver: Any, rules: RulesInForce, unit: Callable[[], int], is_kept: Callable[[], bool]
) -> None:
    """Note changes of rows from here on, by the rules of their tables.

    `unit` tells the number of the transaction, and is asked first; `is_kept` whether the values of
    rows that go are of use.
    """
    unwatch(driver)
    driver.create_function("undo_unit", 0, unit)
    driver.create_function("undo_kept", 0, is_kept)
    for trigger in triggers(driver, rules):
        for name, columns in trigger.functions.items():
            driver.create_function(name, -1, _function(trigger.kind, columns))
        driver.execute(trigger.statement)


def unwatch(driver: Any) -> None:
    """Note nothing any more."""
    for (name,) in driver.execute(_OURS).fetchall():
        driver.execute(f"DROP TRIGGER temp.{quoted(name)}")


def triggers(driver: Any, rules: RulesInForce) -> Iterable[Trigger]:
    """Write the triggers of all tables."""
    for (table,) in driver.execute(_TABLES).fetchall():
        yield from _of_table(table, columns_of(driver, table), rules)


def columns_of(driver: Any, table: str) -> list[Column]:
    """Ask what columns a table has."""
    found = driver.execute(f"PRAGMA main.table_info({quoted(table)})").fetchall()
    return [Column(name, kind, place) for _, name, kind, _, _, place in found]


def key_names(columns: Sequence[Column]) -> list[str]:
    """Tell the names of the primary key."""
    keys = sorted((each.place, each.name) for each in columns if each.place)
    return [name for _, name in keys] or ["rowid"]


def quoted(name: str) -> str:
    """Write the name of a table or a column."""
    return '"' + name.replace('"', '""') + '"'


def _of_table(table: str, columns: Sequence[Column], rules: RulesInForce) -> Iterator[Trigger]:
    keys = key_names(columns)
    is_number = len(keys) == 1 and (keys[0], "INTEGER") in [
        (each.name, each.type) for each in columns
    ]
    for kind in rules.noted_kinds(table):
        # Of a new row its key is enough: what is changed of it later is noted then.
        noted = columns if kind != "insert" and rules.are_values_noted(table) else []
        parts = [noted[first : first + _AT_ONCE] for first in range(0, len(noted), _AT_ONCE)]
        functions = {f"undo_{kind}_{table}_{number}": part for number, part in enumerate(parts)}
        row = "NEW" if kind == "insert" else "OLD"
        notes = [
            _NOTE.format(
                table=_text(table),
                key=_ONE_NUMBER.format(row, quoted(keys[0]))
                if is_number
                else f"json_array({', '.join(f'{row}.{quoted(each)}' for each in keys)})",
                kind=kind,
                when=f"WHERE {_differ(part)}" if kind == "update" and len(parts) > 1 else "",
                **_values(kind, function, part),
            )
            for function, part in (functions or {"": ()}).items()
        ]
        statement = _TRIGGER.format(
            name=quoted(f"undo_{kind}_{table}"),
            kind=kind,
            table=quoted(table),
            when=f"WHEN {_differ(noted)}" if kind == "update" and noted else "",
            notes=" ".join(notes),
        )
        yield Trigger(statement, kind, functions)


def _differ(columns: Sequence[Column]) -> str:
    return " OR ".join(_DIFFERS.format(quoted(each.name)) for each in columns)


def _values(kind: str, function: str, columns: Sequence[Column]) -> dict[str, str]:
    """Write the calls of the functions that tell the values of a row."""
    if not columns:
        return {"before": "'{}'", "after": "'{}'"}
    if kind == "update":
        given = [
            (_TEXT if each.is_of_texts else "{0}.{1}").format(row, quoted(each.name))
            for row in ("OLD", "NEW")
            for each in columns
        ]
        return {"before": f"{quoted(function)}({', '.join(given)})", "after": "NULL"}
    given = [f"OLD.{quoted(each.name)}" for each in columns]
    call = f"{quoted(function)}({', '.join(given)})"
    # A row that goes may be long: its values are handed over only where they are kept.
    return {"before": f"CASE WHEN undo_kept() THEN {call} END", "after": "NULL"}


def _function(kind: str, columns: Sequence[Column]) -> Callable[..., str]:
    names = [each.name for each in columns]
    if kind == "update":
        return writer_of_changed(names, [each.is_of_texts for each in columns])
    return functools.partial(write_old, names)


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
