"""The loader of a world file: finds rows, writes new ones many at a time, and assigns ids."""

import functools
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import JSON, Connection, Table, bindparam, func, insert, select, text, update

from landyard.storage.prepared import Prepared, one_of
from landyard.storage.schema import Model, table_of
from landyard.storage.world_file import WorldError

Written = Mapping[str, Any]
Key = tuple[Model, Written]
Records = Callable[[type], Mapping[str, Any]]
Sections = Callable[[type[Any]], Any]
Row = dict[str, Any]

_AT_ONCE = 500  # values of one query
# The last id that the database assigned in a table, also to a row that is deleted by now.
_SQLITE_LAST = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
_SEQUENCE = "CAST(pg_get_serial_sequence(:name, 'id') AS regclass)"
_LAST = f"pg_sequence_last_value({_SEQUENCE})"
_POSTGRES_LAST = text(f"SELECT {_LAST}")
# Never back: the ids of deleted rows are not used again.
_SET_LAST = text(f"SELECT setval({_SEQUENCE}, :last) WHERE :last > coalesce({_LAST}, 0)")
_INSERT = functools.cache(lambda table: Prepared(insert(table)))  # of a table: all its columns


class Tally(Struct):
    """The rows that a load created, updated and left unchanged, as numbers."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    notes: list[str] = []
    """Things that the file names but that do not exist: the load left them out."""


class Loader:
    """Writes the rows of one load; a row that is there already is written only where it differs.

    New rows are written many at a time, and all before a check of `later` runs. `connection` is
    for what no list holds: what is written through it may not be found here.
    """

    def __init__(
        self, connection: Connection, now: datetime, records: Records, sections: Sections
    ) -> None:
        """Write through `connection`, which another commits.

        `records` is that of the kernel, and `sections` is `Kernel.section`.
        """
        self.connection = connection
        self.now = now
        self.records = records
        self.settings = sections
        self.tally = Tally()
        self._postgres = connection.dialect.name == "postgresql"
        self._kept: dict[str, Any] = {}
        self._checks: list[Callable[[], None]] = []
        self._last_ids: dict[Table, int] = {}  # of the tables where the file gives ids
        self._listed: dict[Table, dict[int, int]] = {}  # 1,024 ids in a number's bits
        # By table, in the order in which they were first looked in: a row is behind what it names.
        self._waiting: dict[Table, dict[int, Row]] = {}
        # Rows as they are now, by some columns of their table and the values of these.
        self._known: dict[tuple[Table, tuple[str, ...]], dict[tuple[Any, ...], list[Row]]] = {}

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` answers; it is asked once in this load, and kept by its name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def read(self, keys: Iterable[Key]) -> None:
        """Write all that was saved, and read the rows with these keys, many at a time."""
        self._flush()
        self._known.clear()
        self._read(keys)

    def save(
        self, model: Model, key: Written, values: Written, defaults: Written | None = None
    ) -> int:
        """Find the row with `key`, or make it with `defaults`; set `values`; return its id.

        `UNSET` values are left alone. A key of None values finds no row: the new row's id is
        higher than all that are given or reserved.
        """
        table = table_of(model)
        listed = {name: value for name, value in values.items() if value is not UNSET}
        found = self._find(model, key)
        if not found:
            assigned = {name: value for name, value in key.items() if value is not None}
            if "id" not in assigned and table in self._last_ids:
                assigned["id"] = self._last_ids[table] + 1
            if "id" in assigned:
                self.reserve(model, assigned["id"])
            self.tally.created += 1
            return self._insert(table, {**(defaults or {}), **listed, **assigned})
        row = found[0]
        changed = {name: value for name, value in listed.items() if row[name] != value}
        if not changed:
            self.tally.unchanged += 1
            return int(row["id"])
        self._flush()
        self.connection.execute(update(table).where(table.c.id == row["id"]).values(changed))
        self.tally.updated += 1
        row.update(changed)
        for (kind, names), known in self._known.items():
            if kind is table and not changed.keys().isdisjoint(names):
                known.clear()
        return int(row["id"])

    def reserve(self, model: Model, row_id: int) -> None:
        """Assign only ids above this one, which a row later in the file is given."""
        table = table_of(model)
        if row_id >= 2**31:
            self.refuse(table.name, "no ids are left behind the highest one given")
        if table not in self._last_ids:
            self._last_ids[table] = self._last_id(table)
        self._last_ids[table] = max(row_id, self._last_ids[table])

    def find(self, model: Model, key: Written) -> Mapping[str, Any] | None:
        """Return a row as it is stored now; a key of None values finds none."""
        found = self._find(model, key)
        return dict(found[0]) if found else None

    def find_all(self, model: Model, key: Written) -> list[Mapping[str, Any]]:
        """Return all rows with a key, in the order of their ids."""
        return [dict(row) for row in self._find(model, key)]

    def need(self, model: Model, row_id: int, path: str, noun: str) -> None:
        """Raise `WorldError` at `path` unless the row exists."""
        if not self._find(model, {"id": row_id}):
            self.refuse(path, f"there is no {noun} {row_id}")

    def need_moment(self, moment: datetime | UnsetType | None, path: str) -> None:
        """Refuse a moment without a time zone, or one that no database can hold."""
        if not isinstance(moment, datetime):
            return
        if moment.tzinfo is None:
            self.refuse(path, "must have a time zone, e.g. 2027-01-01T00:00:00Z")
        try:
            moment.astimezone(UTC)
        except OverflowError:
            self.refuse(path, "is before the year 1 or after the year 9999 in UTC")

    def once(self, model: Model, row_id: object, path: str) -> None:
        """Refuse an id that the file gives to a second row."""
        if isinstance(row_id, int):
            listed = self._listed.setdefault(table_of(model), {})
            place, bit = row_id >> 10, 1 << (row_id & 1023)
            if listed.get(place, 0) & bit:
                self.refuse(path, f"{row_id} is listed twice")
            listed[place] = listed.get(place, 0) | bit

    @staticmethod
    def listed(value: Any, default: Any) -> Any:
        """Return `value`, or `default` where the world file does not list it."""
        return default if isinstance(value, UnsetType) else value

    def later(self, check: Callable[[], None]) -> None:
        """Run `check` when everything is loaded."""
        self._checks.append(check)

    def note(self, path: str, text: str) -> None:
        """Tell of something in the file that is wrong and does no harm."""
        self.tally.notes.append(f"{path}: {text}")

    def refuse(self, path: str, text: str) -> NoReturn:
        """Give the whole load up."""
        raise WorldError(path, text)

    def finish(self) -> None:
        """Run the checks of `later`, and let PostgreSQL's sequences skip the ids given."""
        self.read(())
        for check in self._checks:
            check()
        self._flush()
        if self._postgres:
            for table, last in self._last_ids.items():
                self.connection.execute(_SET_LAST, {"name": table.name, "last": last})

    def _flush(self) -> None:
        for table, rows in self._waiting.items():
            if rows:
                _INSERT(table).run_each(self.connection, list(rows.values()))
                rows.clear()

    def _find(self, model: Model, key: Written) -> list[Row]:
        which, values = (table_of(model), tuple(key)), tuple(key.values())
        if values.count(None) == len(values):
            return []
        if values not in self._known.get(which, ()):
            self._flush()
            self._read([(model, key)])
        return self._known[which][values]

    def _read(self, keys: Iterable[Key]) -> None:
        """Read rows; those whose keys differ in nothing but the last value, at once."""
        alike: dict[tuple[Any, ...], dict[Any, None]] = {}
        for model, key in keys:
            *first, last = key.values()
            alike.setdefault((table_of(model), tuple(key), *first, last is None), {})[last] = None
        for (table, names, *first, null), several in alike.items():
            self._waiting.setdefault(table, {})
            rows = self._known.setdefault((table, ("id",)), {})
            known = self._known.setdefault((table, names), {})
            query = _by_key(table, names, (*(value is None for value in first), null))
            for start in range(0, len(several), _AT_ONCE):
                some = list(several)[start : start + _AT_ONCE]
                for last in some:
                    known.setdefault((*first, last), [])
                values = zip(names, (*first, None if null else some), strict=True)
                sent = {name: value for name, value in values if value is not None}
                for each in query.all(self.connection, **sent):
                    row = rows.setdefault((each["id"],), [])
                    if not row:
                        row.append(each)
                    if names != ("id",):
                        known[tuple(each[name] for name in names)].append(row[0])

    def _insert(self, table: Table, row: Row) -> int:
        """Insert a row, later where its id is known and it can be completed; return its id."""
        defaults = _defaults(table, frozenset(row))
        if defaults is None:
            self.read(())
            done: Any = self.connection.execute(insert(table).values(row))
            return int(done.inserted_primary_key[0])
        row |= {name: made(None) if callable(made) else made for name, made in defaults.items()}
        self._waiting.setdefault(table, {})[row["id"]] = row
        self._known.setdefault((table, ("id",)), {})[row["id"],] = []
        for (kind, names), known in self._known.items():
            if kind is table and (values := tuple(row[name] for name in names)) in known:
                known[values].append(row)
        return int(row["id"])

    def _last_id(self, table: Table) -> int:
        """Return the highest id, or the last one that the database assigned if that is higher."""
        last = self.connection.scalar(select(func.max(table.c.id))) or 0
        if self._postgres or table.dialect_options["sqlite"]["autoincrement"]:
            query = _POSTGRES_LAST if self._postgres else _SQLITE_LAST
            last = max(last, self.connection.scalar(query, {"name": table.name}) or 0)
        return int(last)


@functools.cache
def _by_key(table: Table, names: tuple[str, ...], nulls: tuple[bool, ...]) -> Prepared[Row]:
    *same, (last, null) = ((table.c[name], null) for name, null in zip(names, nulls, strict=True))
    alike = (each.is_(None) if none else each == bindparam(each.name) for each, none in same)
    those = last.is_(None) if null else one_of(last, last.name)
    columns = [*map(str, table.c.keys())]  # a column's own name is no plain text
    query = select(table).where(*alike, those).order_by(table.c.id + 0)  # or SQLite reads all
    return Prepared(query, lambda *row: dict(zip(columns, row, strict=True)))


@functools.cache
def _defaults(table: Table, given: frozenset[str]) -> Row | None:
    missing = [column for column in table.columns if column.name not in given]
    for each in missing:  # JSON's null is not the database's
        made = each.server_default or isinstance(each.type, JSON)
        if each.primary_key or (each.default is None and made):
            return None
    return {column.name: getattr(column.default, "arg", None) for column in missing}
