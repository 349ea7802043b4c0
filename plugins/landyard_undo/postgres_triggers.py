"""PostgreSQL's triggers: they note each change of a row, in the sessions of services that undo."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from landyard_undo import treatment
from landyard_undo.excerpts import AROUND, EXCERPT, FEW, LONG, NEAR
from landyard_undo.treatment import DIGEST, SHORT

_VERSION = 8  # of the functions
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
    was bytea;
    became bytea;
    differs boolean;
    texts text[];
BEGIN
    BEGIN
        IF TG_OP = 'DELETE' THEN
            this_row := json_build_array({old_key});
            old_values := {gone};
            new_values := NULL;
        ELSIF TG_OP = 'INSERT' THEN
            this_row := json_build_array({new_key});
            old_values := {none};  -- what is changed of it later is noted then
            new_values := {none};
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
# The same as Python's `excerpts` of a long text; nothing where it keeps the whole text.
EXCERPTS = f"undo_note_excerpts_{_VERSION}"
_EXCERPTS_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {EXCERPTS}(was bytea, became bytea) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE AS $note$
DECLARE
    most int := least(length(was), length(became));
    same int := 0;
    beyond int := most;
    middle int;
    behind int := 0;
    first int;
    last int;
    each bytea;
    found text[];
BEGIN
    WHILE beyond - same > {NEAR} LOOP
        middle := (same + beyond) / 2;
        IF substr(was, same + 1, middle - same) = substr(became, same + 1, middle - same) THEN
            same := middle;
        ELSE
            beyond := middle;
        END IF;
    END LOOP;
    beyond := most - same;
    IF beyond > {FEW} THEN
        beyond := beyond - {FEW};
        IF substr(was, length(was) - beyond + 1) = substr(became, length(became) - beyond + 1) THEN
            behind := beyond;
        END IF;
    END IF;
    WHILE beyond - behind > {NEAR} LOOP
        middle := (behind + beyond) / 2;
        IF substr(was, length(was) - middle + 1, middle - behind)
            = substr(became, length(became) - middle + 1, middle - behind)
        THEN
            behind := middle;
        ELSE
            beyond := middle;
        END IF;
    END LOOP;
    IF same + behind < length(was) / 2 THEN
        RETURN NULL;
    END IF;
    first := greatest(same - {AROUND}, 0);
    last := greatest(behind - {AROUND}, 0);
    FOREACH each IN ARRAY ARRAY[was, became] LOOP
        WHILE first > 0 AND get_byte(each, first) & 192 = 128 LOOP
            first := first - 1;
        END LOOP;
        WHILE last > 0 AND get_byte(each, length(each) - last) & 192 = 128 LOOP
            last := last - 1;
        END LOOP;
        found := found || ('{{"{EXCERPT}":[' || first || ',' || last || ',' || to_json(
            convert_from(substr(each, first + 1, length(each) - first - last), 'UTF8')
        )::text || ']}}');
        first := same;
        last := behind;
    END LOOP;
    RETURN found;
END $note$
"""
_NONE = "'{}'"
_GONE = "to_json(OLD)::text"
DIGEST_OF = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
_NEW = f"""{{1}} || CASE WHEN octet_length(NEW.{{0}}::text) > {SHORT}
        THEN '{{{{"{DIGEST}":"' || {DIGEST_OF.format("NEW.{0}::text")} || '"}}}}'
        ELSE coalesce(to_json(NEW.{{0}})::text, 'null') END"""
_COLUMN = f"""
IF OLD.{{0}}{{2}} IS DISTINCT FROM NEW.{{0}}{{2}} THEN
    old_values := old_values || {{1}} || coalesce(to_json(OLD.{{0}})::text, 'null');
    new_values := new_values || {_NEW};
END IF;"""
# A long text is unpacked at each look: at its bytes alone, and once.
_TEXT_COLUMN = f"""
texts := NULL;
IF least(octet_length(OLD.{{0}}), octet_length(NEW.{{0}})) >= {LONG} THEN
    was := convert_to(OLD.{{0}}, 'UTF8');
    became := convert_to(NEW.{{0}}, 'UTF8');
    differs := was <> became;
    IF differs THEN
        texts := {EXCERPTS}(was, became);
    END IF;
ELSE
    differs := OLD.{{0}} IS DISTINCT FROM NEW.{{0}};
END IF;
IF differs THEN
    old_values := old_values || {{1}}
        || coalesce(texts[1], to_json(OLD.{{0}})::text, 'null');
    IF texts IS NULL THEN
        new_values := new_values || {_NEW};
    ELSE
        new_values := new_values || {{1}} || texts[2];
    END IF;
END IF;"""
_TEXTS = ("text", "varchar")
# Of others, of which some cannot be compared, the texts are compared.
_EXACT = ("bool", "int2", "int4", "int8", "timestamp", "timestamptz", "date")
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
        WHERE attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    ), (
        SELECT array_agg(typname::text ORDER BY attnum)
        FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
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


def watch(driver: Any, *_needed_on_sqlite: Callable[[], Any]) -> None:
    """Note changes of rows from here on: make the triggers that are missing."""
    driver.execute(_ONE_BY_ONE)
    driver.execute("SET LOCAL lock_timeout = '2s'")
    is_made = False
    for table, keys, columns, types, there in driver.execute(TABLES).fetchall():
        how = treatment.of_table(table)
        said = [_VERSION, how, table, *(keys or ()), "", *columns, "", *types]
        digest = zlib.crc32(msgspec.json.encode(said))
        wanted = [f"zz_undo_{digest:x}"] if keys and how != treatment.NEVER else []
        for name in {*(there or ())}.difference(wanted):
            driver.execute(f"DROP TRIGGER {name} ON {quoted(table)}")
        for name in {*wanted}.difference(there or ()):
            note = f"undo_note_{digest:x}"
            if not is_made:
                driver.execute(_EXCERPTS_FUNCTION)
                is_made = True
            driver.execute(_function(note, how, keys, dict(zip(columns, types, strict=True))))
            # Its name is the last, so that rows that go with this one are noted before it.
            driver.execute(
                f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {quoted(table)}"
                " FOR EACH ROW WHEN (current_setting('landyard.undo', true) = 'on')"
                f" EXECUTE FUNCTION {note}()"
            )


def _function(name: str, how: str, keys: Sequence[str], columns: Mapping[str, str]) -> str:
    """Write the function that notes changes of a table."""
    valued = how != treatment.REFUSED
    given = [
        (quoted(each), literal(f",{json_text(each)}:"), "" if kind in _EXACT else "::text", kind)
        for each, kind in columns.items()
        if valued
    ]
    return _FUNCTION.format(
        name=name,
        old_key=", ".join(f"OLD.{quoted(each)}" for each in keys),
        new_key=", ".join(f"NEW.{quoted(each)}" for each in keys),
        valued=valued,
        gone=_GONE if valued else _NONE,
        none=_NONE,
        columns="".join(
            (_TEXT_COLUMN if each[-1] in _TEXTS else _COLUMN).format(*each) for each in given
        ),
    )


def unwatch(driver: Any) -> None:
    """Note nothing any more."""
    driver.execute(_ONE_BY_ONE)
    for (name,) in driver.execute(_FUNCTIONS).fetchall():
        driver.execute(f"DROP FUNCTION {name} CASCADE")


def json_text(values: Any) -> str:
    return msgspec.json.encode(values).decode()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
