"""Records each change of a row by temporary triggers on SQLite, until the transaction ends."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_safe_writes.dry_runs.changes import NotedChange

_TABLES = """SELECT name FROM main.sqlite_master WHERE type = 'table'
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'alembic\\_%' ESCAPE '\\'
    AND name NOT LIKE 'undo\\_%' ESCAPE '\\'
    ORDER BY name"""
_NOTES = """CREATE TEMP TABLE dry_run_notes
    (number INTEGER PRIMARY KEY, kind TEXT, of_table TEXT, of_row TEXT, of_columns TEXT,
    of_values TEXT)"""
_TRIGGER = """CREATE TEMP TRIGGER "dry_run_{kind}_{table}" AFTER {kind} ON main."{table}" BEGIN
    INSERT INTO dry_run_notes (kind, of_table, of_row, of_columns, of_values)
    VALUES ('{kind}', '{table}', json_array({key}), {columns}, {values}); END"""
_SEEN = "SELECT of_table, of_row, kind, of_columns, of_values FROM dry_run_notes ORDER BY number"


def watch(connection: Connection) -> None:
    """Note all changes of rows until the transaction ends."""
    run = connection.exec_driver_sql
    driver: Any = connection.connection.driver_connection
    driver.create_function("dry_run_digest", 2, _digest, deterministic=True)
    run(_NOTES)
    for table in run(_TABLES).scalars().all():
        described = run(f'PRAGMA main.table_info("{table}")').all()
        names = [each.name for each in described]
        keys = [each.name for each in sorted(described, key=lambda each: each.pk) if each.pk]
        changed = " || ".join(
            f"""CASE WHEN OLD."{name}" IS NOT NEW."{name}" THEN '{name},' ELSE '' END"""
            for name in names
        )
        for kind, row, columns in (
            ("insert", "NEW", "''"),
            ("update", "OLD", changed),
            ("delete", "OLD", "''"),
        ):
            values = "''" if kind == "update" else _digests(row, names)
            key = ", ".join(f'{row}."{name}"' for name in keys or ["rowid"])
            run(_TRIGGER.format(kind=kind, table=table, key=key, columns=columns, values=values))


def noted_changes(connection: Connection) -> Iterator[NotedChange]:
    """Yield the noted changes in order."""
    for table, row, kind, columns, digests in connection.exec_driver_sql(_SEEN):
        key: list[Any] = msgspec.json.decode(row)
        changed = tuple(name for name in columns.split(",") if name)
        values = dict(each.split("=") for each in digests.split(",") if each)
        yield NotedChange(table, key[0] if len(key) == 1 else key, kind, changed, values)


def _digests(row: str, names: Iterable[str]) -> str:
    return " || ".join(f"""dry_run_digest('{name}', {row}."{name}")""" for name in names)


def _digest(name: str, value: object) -> str:
    """Return a digest of a column's value, because values may be long."""
    return f"{name}={blake2b(repr(value).encode(), digest_size=12).hexdigest()},"
