"""The values of a row that SQLite's triggers record."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from landyard_undo import on_sqlite
from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.steps import Noted
from landyard_undo.tables import ENTRY

LONG = "The tide comes in twice a day, é. " * 100
COLUMNS = ", ".join(column.name for column in ENTRY)


def change(old: Any, new: Any, kind: str = "VARCHAR") -> tuple[Any, Any]:
    """Record the change of a column of this kind; return the values before and after."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"CREATE TABLE undo_entry ({COLUMNS})")
        connection.execute(f"CREATE TABLE thing (id INTEGER PRIMARY KEY, value {kind}, other TEXT)")
        connection.execute("INSERT INTO thing VALUES (1, ?, ?)", (old, LONG))
        on_sqlite.watch(connection, RulesInForce(), lambda: 1, lambda: True)
        connection.execute("UPDATE thing SET value = ?, other = other", (new,))
        query = "SELECT id, unit, of_table, of_row, kind, before, after FROM undo_entry"
        (noted,) = connection.execute(query).fetchall()
        return on_sqlite.values(Noted(*noted))


@pytest.mark.parametrize("kind", ["VARCHAR", "TEXT", "BLOB", "JSON"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("é", "e"),
        ("", None),
        (None, ""),
        (b"\x00\xff", "00FF"),
        ("00FF", b"\x00\xff"),
        (b"", None),
        (None, b"text"),
        (b"text", "text"),
    ],
)
def test_a_value_is_recorded_as_it_is_stored(kind: str, old: Any, new: Any) -> None:
    assert change(old, new, kind) == ({"value": old}, {"value": new})


def test_records_of_the_previous_version_are_read() -> None:
    noted = Noted(1, 1, "thing", "[1]", "update", '{"value":"old"}', '{"value":{"hex":"00ff"}}')

    assert on_sqlite.values(noted) == ({"value": "old"}, {"value": b"\x00\xff"})


def test_only_the_difference_of_a_long_text_is_recorded() -> None:
    before, after = change(f"{LONG}here{LONG}", f"{LONG}there{LONG}")

    _, _, was = before["value"]["landyard_excerpt"]
    _, _, became = after["value"]["landyard_excerpt"]
    assert "here" in was
    assert "there" in became
    assert len(became) < len(was)
