"""PostgreSQL: triggers note each change, in the sessions of services that undo."""

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_undo import treatment
from landyard_undo.steps import Noted
from landyard_undo.treatment import DIGEST, SHORT, Values

SESSION = "SET landyard.undo = 'on'"
"""A session that says so has its changes noted."""
_VERSION = 4  # of the functions
# Each table has a function of its own. Of an update it looks at column by column: to write rows as
# JSON and read them again, or to ask a query of all columns, takes several times as long. A row
# that goes is written at once. Where a migration has changed the table meanwhile, nothing is noted.
_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $note$
DECLARE
    this_unit text := nullif(current_setting('landyard.undo_unit', true), '');
    this_row text;
    old_values text := '';
    new_values text := '';
BEGIN
    BEGIN
        IF TG_OP = 'DELETE' THEN
            this_row := json_build_array({old_key});
            old_values := {gone};
            new_values := NULL;
        ELSIF TG_OP = 'INSERT' THEN
            this_row := json_build_array({new_key});
            old_values := NULL;
            new_values := {come};
        ELSE
            this_row := json_build_array({old_key});
            {columns}
            IF {valued} AND old_values = '' THEN
                RETURN NULL;
            END IF;
            old_values := '{{' || substr(old_values, 2) || '}}';
            new_values := '{{' || substr(new_values, 2) || '}}';
        END IF;
    EXCEPTION WHEN undefined_column THEN
        RETURN NULL;
    END;
    IF this_unit IS NULL THEN
        this_unit := nextval('undo_entry_id_seq');
        PERFORM set_config('landyard.undo_unit', this_unit, true);
    END IF;
    INSERT INTO undo_entry (unit, of_table, of_row, kind, before, after) VALUES (
        this_unit::bigint, TG_TABLE_NAME, this_row, lower(TG_OP), old_values, new_values
    );
    RETURN NULL;
END $note$
"""
_NONE = "'{}'"
_OF_KEYS = (treatment.REFUSED, treatment.KEY)  # of a new row its key alone is kept
_GONE = "to_json(OLD)::text"
_DIGEST = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
_NEW = f"""{{1}} || CASE WHEN length(NEW.{{0}}::text) > {SHORT}
        THEN '{{{{"{DIGEST}":"' || {_DIGEST.format("NEW.{0}::text")} || '"}}}}'
        ELSE coalesce(to_json(NEW.{{0}})::text, 'null') END"""
_COLUMN = f"""
IF OLD.{{0}}::text IS DISTINCT FROM NEW.{{0}}::text THEN
    old_values := old_values || {{1}} || coalesce(to_json(OLD.{{0}})::text, 'null');
    new_values := new_values || {_NEW};
END IF;"""
_FUNCTIONS = """
SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    AND starts_with(proname, 'undo_note')
"""
_TABLES = """
SELECT tables.relname, (
        SELECT array_agg(columns.attname::text ORDER BY keys.place)
        FROM pg_index, unnest(indkey::int2[]) WITH ORDINALITY AS keys (number, place),
            pg_attribute AS columns
        WHERE indrelid = tables.oid AND indisprimary
            AND columns.attrelid = tables.oid AND columns.attnum = keys.number
    ), (
        SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    ), (
        SELECT array_agg(tgname::text) FROM pg_trigger
        WHERE tgrelid = tables.oid AND starts_with(tgname, 'zz_undo_')
    )
FROM pg_class AS tables
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname
"""
# All workers of a service make, or take away, the same triggers at the same time.
_ONE_BY_ONE = "SELECT pg_advisory_xact_lock(hashtext('landyard_undo'))"
UNIT = "nullif(current_setting('landyard.undo_unit', true), '')"


def watch(driver: Any, *_needed_on_sqlite: Callable[[], Any]) -> None:
    """Note changes of rows from here on: make the triggers that are missing."""
    driver.execute(_ONE_BY_ONE)
    driver.execute("SET LOCAL lock_timeout = '2s'")
    for table, keys, columns, there in driver.execute(_TABLES).fetchall():
        how = treatment.of_table(table)
        said = [_VERSION, how, table, *(keys or ()), "", *columns]
        digest = zlib.crc32(msgspec.json.encode(said))
        wanted = [f"zz_undo_{digest:x}"] if keys and how != treatment.NEVER else []
        for name in {*(there or ())}.difference(wanted):
            driver.execute(f"DROP TRIGGER {name} ON {_name(table)}")
        for name in {*wanted}.difference(there or ()):
            note = f"undo_note_{digest:x}"
            driver.execute(_function(note, how, keys, columns))
            # Its name is the last, so that rows that go with this one are noted before it.
            driver.execute(
                f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {_name(table)}"
                " FOR EACH ROW WHEN (current_setting('landyard.undo', true) = 'on')"
                f" EXECUTE FUNCTION {note}()"
            )


def _function(name: str, how: str, keys: Sequence[str], columns: Sequence[str]) -> str:
    """Write the function that notes changes of a table."""
    valued = how != treatment.REFUSED
    given = [(_name(each), _text(f",{_json(each)}:")) for each in columns if valued]
    come = " || ".join(_NEW.format(*each) for each in given)
    return _FUNCTION.format(
        name=name,
        old_key=", ".join(f"OLD.{_name(each)}" for each in keys),
        new_key=", ".join(f"NEW.{_name(each)}" for each in keys),
        valued=valued,
        gone=_GONE if valued else _NONE,
        come=f"'{{' || substr({come}, 2) || '}}'" if how not in _OF_KEYS else _NONE,
        columns="".join(_COLUMN.format(*each) for each in given),
    )


def unwatch(driver: Any) -> None:
    """Note nothing any more."""
    driver.execute(_ONE_BY_ONE)
    for (name,) in driver.execute(_FUNCTIONS).fetchall():
        driver.execute(f"DROP FUNCTION {name}() CASCADE")


def unit_of(connection: Connection) -> int:
    """Tell the number of this transaction; 0 where it has changed nothing."""
    return int(connection.exec_driver_sql(f"SELECT {UNIT}").scalar() or 0)


def find(connection: Connection, table: str, key: Sequence[Any]) -> Values | None:
    """Read a row, which nobody else changes before this call ends; None where there is none."""
    where, values = _where(connection, table, key)
    query = f"SELECT to_json(this) FROM {_name(table)} AS this WHERE {where} FOR UPDATE"  # noqa: S608
    found: Values | None = connection.exec_driver_sql(query, values).scalar()
    return found


def digest(connection: Connection, table: str, key: Sequence[Any], name: str) -> str:
    """Return what stands for a longer value of a row."""
    where, values = _where(connection, table, key)
    column = _DIGEST.format(f"this.{_name(name)}::text")
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


def values(noted: Noted) -> tuple[Values, Values]:
    """Read what a row was before a change, and what it was after it."""
    before, after = (msgspec.json.decode(each or "{}") for each in (noted.before, noted.after))
    return before, after


def complete(notes: Sequence[Noted], now: Values | None, database: Any) -> list[Noted]:  # noqa: ARG001 - SQLite needs them
    """Answer changes of a row as they are: their values are whole."""
    return list(notes)


def _where(connection: Connection, table: str, key: Sequence[Any]) -> tuple[str, dict[str, str]]:
    found = connection.exec_driver_sql(
        f"SELECT keys FROM ({_TABLES}) AS of_all (name, keys, _, _there)"  # noqa: S608
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


def _json(values: Any) -> str:
    return msgspec.json.encode(values).decode()


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
