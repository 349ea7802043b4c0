"""Records each change of a row by triggers on PostgreSQL, while no other call writes.

Triggers, and copies of the sequences, are created in the transaction and rolled back with it, so no
id is used up. Other writers wait until the dry run ends. The dry run waits for writers only
briefly, and is otherwise run again.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection

from landyard_safe_writes.dry_runs.changes import NotedChange

# The lock timeout is shorter than PostgreSQL's deadlock timeout, so that no writer is aborted.
_WATCH = """
CREATE TEMP TABLE dry_run_notes
    (number bigserial, kind text, of_table text, of_row text, of_columns text[], of_values jsonb)
    ON COMMIT DROP;
CREATE FUNCTION pg_temp.dry_run_note() RETURNS trigger LANGUAGE plpgsql AS $note$
DECLARE
    was jsonb := to_jsonb(OLD);
    becomes jsonb := to_jsonb(NEW);
BEGIN
    INSERT INTO pg_temp.dry_run_notes (kind, of_table, of_row, of_columns, of_values) SELECT
        lower(TG_OP), TG_TABLE_NAME,
        (SELECT jsonb_agg(coalesce(was, becomes) -> name ORDER BY place)
            FROM unnest(TG_ARGV) WITH ORDINALITY AS named (name, place)),
        (SELECT array_agg(key) FROM jsonb_each(becomes)
            WHERE TG_OP = 'UPDATE' AND value IS DISTINCT FROM was -> key),
        (SELECT jsonb_object_agg(key, md5(value::text)) FROM jsonb_each(coalesce(was, becomes))
            WHERE TG_OP <> 'UPDATE');
    RETURN NULL;
END $note$;
DO $watch$
DECLARE
    usual text := current_setting('lock_timeout');
    each record;
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    FOR each IN
        SELECT tables.oid::regclass AS name, (
            SELECT string_agg(quote_literal(columns.attname), ', ' ORDER BY keys.place)
            FROM pg_index, unnest(indkey::int2[]) WITH ORDINALITY AS keys (number, place),
                pg_attribute AS columns
            WHERE indrelid = tables.oid AND indisprimary
                AND columns.attrelid = tables.oid AND columns.attnum = keys.number
        ) AS key
        FROM pg_class AS tables
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
            AND NOT starts_with(relname, 'alembic_')
            AND NOT starts_with(relname, 'undo_') ORDER BY relname
    LOOP
        EXECUTE format(
            'CREATE TRIGGER zz_dry_run AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW'
            ' EXECUTE FUNCTION pg_temp.dry_run_note(%s)', each.name, each.key
        );
    END LOOP;
    FOR each IN
        SELECT schemaname, sequencename, increment_by FROM pg_sequences
        WHERE schemaname = current_schema() ORDER BY sequencename
    LOOP  -- altering a sequence copies it with its current number
        EXECUTE format(
            'ALTER SEQUENCE %I.%I INCREMENT BY %s',
            each.schemaname, each.sequencename, each.increment_by
        );
    END LOOP;
    PERFORM set_config('lock_timeout', usual, true);
END $watch$;
"""
_SEEN = """SELECT of_table, of_row, kind, of_columns, of_values
    FROM pg_temp.dry_run_notes ORDER BY number"""


def watch(connection: Connection) -> None:
    """Note all changes of rows until the transaction ends; locks out other writers."""
    # Without parameters the percent signs of `format` are no placeholders.
    connection.exec_driver_sql(_WATCH, execution_options={"no_parameters": True})


def noted_changes(connection: Connection) -> Iterator[NotedChange]:
    """Yield the noted changes in order."""
    for table, row, kind, columns, values in connection.exec_driver_sql(_SEEN):
        key: list[Any] = msgspec.json.decode(row or "[]")
        yield NotedChange(
            table, key[0] if len(key) == 1 else key, kind, tuple(columns or ()), values or {}
        )
