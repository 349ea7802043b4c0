"""PostgreSQL: triggers note each change, in the sessions of services that undo."""

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_undo import treatment
from landyard_undo.treatment import DIGEST, SHORT, Values

SESSION = "SET landyard.undo = 'on'"
"""A session that says so has its changes noted."""
_VERSION = 1  # of the function
_FUNCTION = f"""
CREATE OR REPLACE FUNCTION undo_short(value json) RETURNS json LANGUAGE sql IMMUTABLE AS $short$
    SELECT CASE WHEN length(value::text) > {SHORT}
        THEN json_build_object('{DIGEST}', md5(value::text)) ELSE value END
$short$;
"""
_NOTE = """
CREATE OR REPLACE FUNCTION undo_note() RETURNS trigger LANGUAGE plpgsql AS $note$
DECLARE
    this_unit text := nullif(current_setting('landyard.undo_unit', true), '');
    was json := CASE WHEN TG_OP <> 'INSERT' THEN to_json(OLD) END;
    becomes json := CASE WHEN TG_OP <> 'DELETE' THEN to_json(NEW) END;
    old_values text := '{}';
    new_values text := '{}';
BEGIN
    IF TG_ARGV[0] = 'refused' OR (TG_ARGV[0] = 'key' AND TG_OP = 'INSERT') THEN
        NULL;
    ELSIF TG_OP = 'UPDATE' THEN
        SELECT json_object_agg(key, past.value), json_object_agg(key, undo_short(present.value))
            INTO old_values, new_values
            FROM json_each(was) AS past JOIN json_each(becomes) AS present USING (key)
            WHERE past.value::text IS DISTINCT FROM present.value::text;
        IF old_values IS NULL THEN
            RETURN NULL;
        END IF;
    ELSIF TG_OP = 'DELETE' THEN
        old_values := was;
    ELSE
        SELECT json_object_agg(key, undo_short(value)) INTO new_values FROM json_each(becomes);
    END IF;
    IF this_unit IS NULL THEN
        this_unit := nextval('undo_entry_id_seq');
        PERFORM set_config('landyard.undo_unit', this_unit, true);
    END IF;
    INSERT INTO undo_entry (unit, of_table, of_row, kind, before, after) VALUES (
        this_unit::bigint, TG_TABLE_NAME,
        (SELECT json_agg(coalesce(was, becomes) -> name ORDER BY place)
            FROM unnest(TG_ARGV[1:]) WITH ORDINALITY AS named (name, place)),
        lower(TG_OP), old_values, new_values
    );
    RETURN NULL;
END $note$
"""
_TABLES = """
SELECT tables.relname, (
        SELECT array_agg(columns.attname::text ORDER BY keys.place)
        FROM pg_index, unnest(indkey::int2[]) WITH ORDINALITY AS keys (number, place),
            pg_attribute AS columns
        WHERE indrelid = tables.oid AND indisprimary
            AND columns.attrelid = tables.oid AND columns.attnum = keys.number
    ), (
        SELECT array_agg(tgname::text) FROM pg_trigger
        WHERE tgrelid = tables.oid AND starts_with(tgname, 'zz_undo_')
    )
FROM pg_class AS tables
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname
"""
_UNIT = "nullif(current_setting('landyard.undo_unit', true), '')"


def watch(connection: Connection, unit: Callable[[], int]) -> None:  # noqa: ARG001 - SQLite needs it
    """Note changes of rows from here on: make the triggers that are missing."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = '2s'")
    made = False
    for table, keys, there in connection.exec_driver_sql(_TABLES).all():
        how = treatment.of_table(table)
        said = [how, *(keys or ())]
        digest = zlib.crc32(msgspec.json.encode([_VERSION, *said]))
        wanted = [f"zz_undo_{digest:x}"] if keys and how != treatment.NEVER else []
        for name in {*(there or ())}.difference(wanted):
            connection.exec_driver_sql(f"DROP TRIGGER {name} ON {_name(table)}")
        for name in {*wanted}.difference(there or ()):
            if not made:
                connection.exec_driver_sql(_FUNCTION)
                connection.exec_driver_sql(_NOTE)
                made = True
            # Its name is the last, so that rows that go with this one are noted before it.
            connection.exec_driver_sql(
                f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {_name(table)}"
                " FOR EACH ROW WHEN (current_setting('landyard.undo', true) = 'on')"
                f" EXECUTE FUNCTION undo_note({', '.join(map(_text, said))})"
            )


def unwatch(connection: Connection) -> None:
    """Note nothing any more."""
    connection.exec_driver_sql("DROP FUNCTION IF EXISTS undo_note() CASCADE")
    connection.exec_driver_sql("DROP FUNCTION IF EXISTS undo_short(json)")


def unit_of(connection: Connection) -> int:
    """Tell the number of this transaction; 0 where it has changed nothing."""
    return int(connection.exec_driver_sql(f"SELECT {_UNIT}").scalar() or 0)


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row, which nobody else changes before this call ends; None where there is none."""
    where, values = _where(connection, table, key)
    query = f"SELECT to_json(this) FROM {_name(table)} AS this WHERE {where} FOR UPDATE"  # noqa: S608
    found: Values | None = connection.exec_driver_sql(query, values).scalar()
    return found


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return what stands for a longer value of a row."""
    where, values = _where(connection, table, key)
    column = f"md5(to_json(this.{_name(name)})::text)"
    query = f"SELECT {column} FROM {_name(table)} AS this WHERE {where}"  # noqa: S608
    return str(connection.exec_driver_sql(query, values).scalar())


def add(connection: Connection, table: str, row: Values) -> None:
    """Put a row back."""
    names = ", ".join(map(_name, row))
    connection.exec_driver_sql(
        f"INSERT INTO {_name(table)} ({names}) OVERRIDING SYSTEM VALUE"  # noqa: S608
        f" SELECT {names} FROM json_populate_record(NULL::{_name(table)}, %(row)s::json)",
        {"row": _json(row)},
    )


def change(connection: Connection, table: str, key: Sequence[Any], values: Values) -> None:
    """Write columns of a row."""
    where, found = _where(connection, table, key)
    names = ", ".join(map(_name, values))
    connection.exec_driver_sql(
        f"UPDATE {_name(table)} AS this SET ({names}) = (SELECT {names}"  # noqa: S608
        f" FROM json_populate_record(NULL::{_name(table)}, %(row)s::json)) WHERE {where}",
        {**found, "row": _json(values)},
    )


def remove(connection: Connection, table: str, key: Sequence[Any]) -> None:
    """Take a row out."""
    where, values = _where(connection, table, key)
    connection.exec_driver_sql(f"DELETE FROM {_name(table)} AS this WHERE {where}", values)  # noqa: S608


def decode(text: str | None) -> Values:
    """Read values as a trigger has written them."""
    found: Values = msgspec.json.decode(text or "{}")
    return found


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, dict[str, str]]:
    found = connection.exec_driver_sql(
        f"SELECT keys FROM ({_TABLES}) AS of_all (name, keys, _)"  # noqa: S608
        " WHERE name = %(name)s",
        {"name": table},
    )
    keys: list[str] = found.scalar_one()
    named = dict(zip(keys, key, strict=True))
    conditions = (
        f"this.{_name(each)} = (SELECT {_name(each)} FROM"  # noqa: S608
        f" json_populate_record(NULL::{_name(table)}, %(key)s::json))"
        for each in keys
    )
    return " AND ".join(conditions), {"key": _json(named)}


def _json(values: Values) -> str:
    return msgspec.json.encode(values).decode()


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
