"""The loader of a world file: finds rows, writes new ones many at a time, and assigns ids."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn

from msgspec import UNSET, Struct, UnsetType
from sqlalchemy import JSON, Column, Table, func, insert, select, text, update
from sqlmodel import Session, SQLModel

from landyard.storage.schema import table_of
from landyard.storage.world_file import WorldError

Written = Mapping[str, Any]
Records = Callable[[type], Mapping[str, Any]]

# The last id that the database assigned in a table, also to a row that is deleted by now.
_SQLITE_LAST = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
_SEQUENCE = "CAST(pg_get_serial_sequence(:name, 'id') AS regclass)"
_POSTGRES_LAST = text(f"SELECT pg_sequence_last_value({_SEQUENCE})")
_SET_LAST = text(f"SELECT setval({_SEQUENCE}, :last)")


class Tally(Struct):
    """What a load did, in rows."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0


class Loader:
    """Writes the rows of one load; a row that is there already is written only where it differs.

    New rows are written many at a time, and all before `session` is used.
    """

    def __init__(self, session: Session, now: datetime, records: Records) -> None:
        """Write through `session`, which another commits; `records` is that of the kernel."""
        self._session = session
        self.now = now
        self.records = records
        self.tally = Tally()
        self._postgres = session.get_bind().dialect.name == "postgresql"
        self._checks: list[Callable[[], None]] = []
        self._last_ids: dict[Table, int] = {}  # of the tables where the file gives ids
        self._listed: dict[type[SQLModel], set[object]] = {}
        self._known: set[tuple[type[SQLModel], int]] = set()  # rows that others refer to
        # By table, in the order in which they were first looked in: a row is behind what it names.
        self._waiting: dict[Table, dict[int, dict[str, Any]]] = {}
        self._before: dict[Table, int] = {}  # the highest id before the load
        self._made: dict[Table, set[int]] = {}

    @property
    def session(self) -> Session:
        """The session; everything that was saved is written."""
        self.flush(1)
        return self._session

    def flush(self, many: int) -> None:
        """Write the rows that wait, if there are so many."""
        if sum(map(len, self._waiting.values())) >= many:
            for table, rows in self._waiting.items():
                if rows:
                    self._session.execute(insert(table), list(rows.values()))
                    rows.clear()

    def save(
        self, model: type[SQLModel], key: Written, values: Written, defaults: Written | None = None
    ) -> int:
        """Find the row with `key`, or make it with `defaults`; set `values`; return its id.

        `UNSET` values are left alone. A key of None values finds no row: the new row's id is
        higher than all that are given or reserved.
        """
        table = table_of(model)
        listed = {name: value for name, value in values.items() if value is not UNSET}
        row = self.find(model, key)
        if row is None:
            assigned = {name: value for name, value in key.items() if value is not None}
            if "id" in assigned:
                self.reserve(model, assigned["id"])
            elif table in self._last_ids:
                assigned["id"] = self._last_ids[table] + 1
                self.reserve(model, assigned["id"])
            self.tally.created += 1
            row_id = self._insert(table, {**(defaults or {}), **listed, **assigned})
            self._made.setdefault(table, set()).add(row_id)
            return row_id
        row_id = int(row["id"])
        changed = {name: value for name, value in listed.items() if row[name] != value}
        if not changed:
            self.tally.unchanged += 1
            return row_id
        self.session.execute(update(table).where(table.c.id == row_id).values(changed))
        self.tally.updated += 1
        return row_id

    def is_new(self, model: type[SQLModel], row_id: int) -> bool:
        """Tell whether this load has made the row."""
        return row_id in self._made.get(table_of(model), ())

    def reserve(self, model: type[SQLModel], row_id: int) -> None:
        """Assign only ids above this one, which a row later in the file is given."""
        table = table_of(model)
        if row_id >= 2**31:
            self.refuse(table.name, "no ids are left behind the highest one given")
        if table not in self._last_ids:
            self._last_ids[table] = self._last_id(table)
        self._last_ids[table] = max(row_id, self._last_ids[table])

    def find(self, model: type[SQLModel], key: Written) -> Mapping[str, Any] | None:
        """Return a row as it is stored now; a key of None values finds none."""
        if all(value is None for value in key.values()):
            return None
        table = table_of(model)
        waiting = self._waiting.setdefault(table, {})
        if len(key) == 1 and isinstance(row_id := key.get("id"), int):
            if row_id in waiting:
                return dict(waiting[row_id])
            if table not in self._before:
                self._before[table] = self._last_id(table)
            if row_id > self._before[table] and row_id not in self._made.get(table, ()):
                return None
        elif waiting:
            self.flush(1)
        wanted = [table.c[name] == value for name, value in key.items()]  # `== None` is IS NULL
        row = self._session.execute(select(table).where(*wanted).limit(1)).mappings().first()
        return None if row is None else dict(row)

    def need(self, model: type[SQLModel], row_id: int, path: str, noun: str) -> None:
        """Raise `WorldError` at `path` unless the row exists."""
        if (model, row_id) not in self._known and self.find(model, {"id": row_id}) is None:
            self.refuse(path, f"there is no {noun} {row_id}")
        self._known.add((model, row_id))

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

    def once(self, model: type[SQLModel], row_id: object, path: str) -> None:
        """Refuse an id that the file gives to a second row."""
        listed = self._listed.setdefault(model, set())
        if isinstance(row_id, int) and row_id in listed:
            self.refuse(path, f"{row_id} is listed twice")
        listed.add(row_id)

    def later(self, check: Callable[[], None]) -> None:
        """Run `check` when everything is loaded."""
        self._checks.append(check)

    def refuse(self, path: str, text: str) -> NoReturn:
        """Give the whole load up."""
        raise WorldError(path, text)

    def finish(self) -> None:
        """Run the checks of `later`, and let PostgreSQL's sequences skip the ids given."""
        for check in self._checks:
            check()
        self.flush(1)
        if self._postgres:
            for table, last in self._last_ids.items():
                # Never back: the ids of deleted rows are not used again.
                highest = max(last, self._last_id(table), 1)
                self.session.execute(_SET_LAST, {"name": table.name, "last": highest})

    def _insert(self, table: Table, row: dict[str, Any]) -> int:
        """Insert a row, later where its id is known and it can be completed; return its id."""
        missing = [column for column in table.columns if column.name not in row]
        # What the database makes, and what is neither JSON's null nor known here.
        theirs = [each for each in missing if each.default is None]
        if "id" not in row or any(each.server_default or _is_json(each) for each in theirs):
            made = self.session.execute(insert(table).values(row))
            return int(made.inserted_primary_key[0])  # type: ignore[attr-defined]
        for column in missing:
            default: Any = column.default
            value = default and default.arg
            row[column.name] = value(None) if callable(value) else value
        self._waiting.setdefault(table, {})[row["id"]] = row
        return int(row["id"])

    def _last_id(self, table: Table) -> int:
        """Return the highest id, or the last one that the database assigned if that is higher."""
        last = self.session.scalar(select(func.max(table.c.id))) or 0
        if self._postgres or table.dialect_options["sqlite"]["autoincrement"]:
            query = _POSTGRES_LAST if self._postgres else _SQLITE_LAST
            last = max(last, self.session.scalar(query, {"name": table.name}) or 0)
        return int(last)


def _is_json(column: Column[Any]) -> bool:
    return isinstance(column.type, JSON)


def given(value: Any, default: Any) -> Any:
    """Return `value`, or `default` where the world file does not list it."""
    return default if isinstance(value, UnsetType) else value
