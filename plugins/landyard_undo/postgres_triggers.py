"""Creates the PostgreSQL triggers that record each change of a row, so that it can be undone."""

import functools
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from landyard import Store, UnitOfWork
from landyard_undo.rules_in_force import RulesInForce
from landyard_undo.values import DIGEST, SHORT

_VERSION = 10  # of the functions
# PostgreSQL prepares each statement of a function anew in each transaction, and the condition of a
# trigger for each change: so a table has a function for each kind of change, of few statements. It
# looks at column by column: to write rows as JSON and read them again, or to ask a query of all
# columns, takes several times as long. Where a migration has changed the table, nothing is noted.
_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $undo_note$
DECLARE
    this_unit text := current_setting('landyard.undo', true);
    this_row text;
    told text := '{{}}';
BEGIN
    IF this_unit IS NULL OR NOT starts_with(this_unit, 'on') THEN
        RETURN NULL;
    END IF;
    BEGIN
        this_row := json_build_array({key});
        {told}
    EXCEPTION WHEN syntax_error_or_access_rule_violation THEN  -- and all errors of this class
        RETURN NULL;
    END;
    IF this_unit = 'on' THEN
        this_unit := set_config('landyard.undo', 'on ' || nextval('undo_entry_id_seq'), true);
    END IF;
    INSERT INTO undo_entry (unit, of_table, of_row, kind, before)
    VALUES (substr(this_unit, 4)::bigint, TG_TABLE_NAME, this_row, '{kind}', told);
    RETURN NULL;
END $undo_note$
"""
_GONE = "told := to_json(OLD);"
_CHANGED = """
        told := '';
        {columns}
        IF told = '' THEN
            RETURN NULL;
        END IF;
        told := '{{' || substr(told, 2) || '}}';"""
# These are never longer than what is kept of what a call has made.
_EXACT = ("bool", "int2", "int4", "int8", "timestamp", "timestamptz", "date")
_TEXTS = ("text", "varchar")
_COLUMN = """
        IF OLD.{0} IS DISTINCT FROM NEW.{0} THEN
            told := told || {1} || json_build_array(OLD.{0}, NEW.{0});
        END IF;"""
DIGEST_OF = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
_SHORT = f"""CASE WHEN octet_length({{0}}::text) > {SHORT}
            THEN json_build_object('{DIGEST}', {DIGEST_OF.format("{0}::text")})
            ELSE to_json({{0}}) END"""
# Of others, of which some cannot be compared, the texts are compared.
_OTHER_COLUMN = f"""
        IF OLD.{{0}}::text COLLATE "C" IS DISTINCT FROM NEW.{{0}}::text THEN
            told := told || {{1}} || json_build_array(OLD.{{0}}, {_SHORT.format("NEW.{0}")});
        END IF;"""
# A text can be compared as it is.
_TEXT_COLUMN = f"""
        IF OLD.{{0}} COLLATE "C" IS DISTINCT FROM NEW.{{0}} THEN
            told := told || {{1}} || json_build_array(OLD.{{0}}, {_SHORT.format("NEW.{0}")});
        END IF;"""
# Versions of the triggers up to 9 called it.
_DROP_PAIR = "DROP FUNCTION IF EXISTS undo_note_pair_9(text, text)"
_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    AND starts_with(proname, 'undo_note')
"""
TABLES = """
SELECT tables.relname, (
        SELECT array_agg(columns.attname::text ORDER BY keys.place)
        FROM pg_index, unnest(indkey::int2[]) WITH ORDINALITY AS keys (number, place),
            pg_attribute AS columns
        WHERE indrelid = tables.oid AND indisprimary
            AND columns.attrelid = tables.oid AND columns.attnum = keys.number
    ), (
        SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = tables.oid AND attnum > 0 AND attgenerated = '' AND NOT attisdropped
    ), (
        SELECT array_agg(typname::text ORDER BY attnum)
        FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
        WHERE attrelid = tables.oid AND attnum > 0 AND attgenerated = '' AND NOT attisdropped
    ), (
        SELECT array_agg(tgname::text) FROM pg_trigger
        WHERE tgrelid = tables.oid AND starts_with(tgname, 'zz_undo_')
    )
FROM pg_class AS tables
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    AND has_table_privilege(tables.oid, 'TRIGGER')
"""
_ONE_TABLE = f"{TABLES} AND relname = %s"
# All workers of a service make, or take away, the same triggers at the same time.
_ONE_BY_ONE = "SELECT pg_advisory_xact_lock(hashtext('landyard_undo'))"
_PATIENCE = "SET LOCAL lock_timeout = '2s'"


class _Triggers(Struct, frozen=True):
    """The triggers of a table: those to make, with their kinds of change, and those to drop."""

    keys: Sequence[str]
    kept: Mapping[str, str]
    missing: Mapping[str, str]
    outdated: Collection[str]


def watch(store: Store, rules: RulesInForce) -> None:
    """Create the triggers and their functions that the rules of the tables require.

    Triggers from before a change of a table or its rules are dropped. Each table has a transaction
    of its own. One transaction for all tables would deadlock with visitors who read several.
    """

    def watch_table(unit: UnitOfWork, table: str) -> None:
        _run(unit, _ONE_BY_ONE, _PATIENCE)
        for row in unit.connection.exec_driver_sql(_ONE_TABLE, (table,)):
            _renew(unit, table, _triggers(rules, *row))

    stale = store.run(lambda unit: _stale(unit, rules), writes=False)
    for table in stale:
        store.run(functools.partial(watch_table, table=table), writes=True)
    if stale:
        store.run(lambda unit: _run(unit, _DROP_PAIR), writes=True)


def _stale(unit: UnitOfWork, rules: RulesInForce) -> list[str]:
    """List the tables whose triggers are not those that their rules require."""
    rows = unit.connection.exec_driver_sql(TABLES).all()
    found = ((row[0], _triggers(rules, *row)) for row in rows)
    return [table for table, triggers in found if triggers.missing or triggers.outdated]


def _triggers(rules: RulesInForce, table: str, *parts: Sequence[str] | None) -> _Triggers:
    keys, columns, types, there = (each or () for each in parts)
    pairs = zip(columns, types, strict=True)
    kept = dict(pairs) if rules.are_values_noted(table) else {}
    said = [_VERSION, rules.rows_of(table), table, *keys, "", *columns, "", *types]
    digest = zlib.crc32(msgspec.json.encode(said))
    kinds = rules.noted_kinds(table) if keys else ()
    wanted = {f"zz_undo_{kind}_{digest:x}": kind for kind in kinds}
    missing = {name: kind for name, kind in wanted.items() if name not in there}
    return _Triggers(keys, kept, missing, {*there}.difference(wanted))


def _renew(unit: UnitOfWork, table: str, triggers: _Triggers) -> None:
    """Drop the outdated triggers of a table, and create the missing ones."""
    for name in triggers.outdated:
        _run(unit, f"DROP FUNCTION {_function_of(name)} CASCADE")
    for name, kind in triggers.missing.items():
        note = _function_of(name)
        trigger = (
            f"CREATE TRIGGER {name} AFTER {kind} ON {quoted(table)}"
            f" FOR EACH ROW EXECUTE FUNCTION {note}()"
        )
        _run(unit, _function(note, kind, triggers.keys, triggers.kept), trigger)


def _run(unit: UnitOfWork, *statements: str) -> None:
    for each in statements:
        unit.connection.exec_driver_sql(each.replace("%", "%%"))  # a single one begins a parameter


def _function_of(trigger: str) -> str:
    return trigger.replace("zz_undo", "undo_note")


def _function(name: str, kind: str, keys: Sequence[str], columns: Mapping[str, str]) -> str:
    """Write the function that notes a kind of change of a table, and the values of columns."""
    told = ""  # of a new row its key is enough: what is changed of it later is noted then
    if kind == "delete" and columns:
        told = _GONE
    if kind == "update" and columns:
        told = _CHANGED.format(columns="".join(map(_column, columns, columns.values())))
    row = "NEW" if kind == "insert" else "OLD"
    key = ", ".join(f"{row}.{quoted(each)}" for each in keys)
    return _FUNCTION.format(name=name, kind=kind, key=key, told=told)


def _column(name: str, kind: str) -> str:
    look = _TEXT_COLUMN if kind in _TEXTS else _COLUMN if kind in _EXACT else _OTHER_COLUMN
    return look.format(quoted(name), literal(f",{json_text(name)}:"))


def unwatch(store: Store) -> None:
    """Drop the triggers and their functions: no change is recorded any more."""

    def drop(unit: UnitOfWork, name: str) -> None:
        _run(unit, _PATIENCE, f"DROP FUNCTION IF EXISTS {name} CASCADE")

    def find(unit: UnitOfWork) -> list[str]:
        return [*unit.connection.exec_driver_sql(_FUNCTIONS).scalars()]

    for name in store.run(find, writes=False):
        store.run(functools.partial(drop, name=name), writes=True)


def json_text(values: Any) -> str:
    """Return values as JSON text."""
    return msgspec.json.encode(values).decode()


def quoted(name: str) -> str:
    """Return a table's or column's name as an SQL identifier in quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
