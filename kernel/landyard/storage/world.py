"""World files: load a whole service from one JSON document, all or nothing, and dump it."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy import Table, func, insert, select, text, update
from sqlmodel import Session, SQLModel

from landyard.storage.schema import table_of

RowId = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""An id in a world file."""

T = TypeVar("T")
Written = Mapping[str, Any]

# The last id that the database assigned in a table, also to a row that is deleted by now.
_SQLITE_LAST = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
_SEQUENCE = "CAST(pg_get_serial_sequence(:name, 'id') AS regclass)"
_POSTGRES_LAST = text(f"SELECT pg_sequence_last_value({_SEQUENCE})")
_SET_LAST = text(f"SELECT setval({_SEQUENCE}, :last)")
_NUL = re.compile(r"(?<!\\)(\\{2})*\\u0000")  # in JSON; not of a backslash that is escaped itself


class WorldError(Exception):
    """A world file is wrong; the text begins with the path, e.g. `users[0].name: …`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}")


class WorldList(Struct, frozen=True, kw_only=True):
    """A list of the world file, or one plugin's keys in it.

    `item` has a field for each key; keys that an item leaves out are `UNSET`. Several plugins may
    add keys to one list: the first `load` makes the row and returns its id, the others get that
    id as the item's `id`.
    """

    name: str
    item: type[Struct]
    load: "Callable[[Loader, Any, str], int | None]"
    dump: Callable[[Session], Iterable[Struct]]


class Tally(Struct):
    """What a load did, in rows."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0


class Loader:
    """Writes the rows of one load; a row that is there already is written only where it differs."""

    def __init__(self, session: Session, now: datetime) -> None:
        """Write through `session`; whoever opened it commits or rolls back."""
        self.session = session
        self.now = now
        self.tally = Tally()
        self._postgres = session.get_bind().dialect.name == "postgresql"
        self._checks: list[Callable[[], None]] = []
        self._last_ids: dict[Table, int] = {}  # of the tables where the file gives ids
        self._listed: set[tuple[type[SQLModel], object]] = set()

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
            new = insert(table).values({**(defaults or {}), **listed, **assigned})
            made = self.session.execute(new)
            self.tally.created += 1
            return int(made.inserted_primary_key[0])  # type: ignore[attr-defined]
        changed = {name: value for name, value in listed.items() if row[name] != value}
        if changed:
            self.session.execute(update(table).where(table.c.id == row["id"]).values(changed))
            self.tally.updated += 1
        else:
            self.tally.unchanged += 1
        return int(row["id"])

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
        wanted = [table.c[name] == value for name, value in key.items()]  # `== None` is IS NULL
        row = self.session.execute(select(table).where(*wanted).limit(1)).mappings().first()
        return None if row is None else dict(row)

    def need(self, model: type[SQLModel], row_id: int, path: str, noun: str) -> None:
        """Raise `WorldError` at `path` unless the row exists."""
        if self.find(model, {"id": row_id}) is None:
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

    def once(self, model: type[SQLModel], row_id: object, path: str) -> None:
        """Refuse an id that the file gives to a second row."""
        if isinstance(row_id, int) and (model, row_id) in self._listed:
            self.refuse(path, f"{row_id} is listed twice")
        self._listed.add((model, row_id))

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
        if self._postgres:
            for table, last in self._last_ids.items():
                # Never back: the ids of deleted rows are not used again.
                highest = max(last, self._last_id(table), 1)
                self.session.execute(_SET_LAST, {"name": table.name, "last": highest})

    def _last_id(self, table: Table) -> int:
        """Return the highest id, or the last one that the database assigned if that is higher."""
        last = self.session.scalar(select(func.max(table.c.id))) or 0
        if self._postgres or table.dialect_options["sqlite"]["autoincrement"]:
            query = _POSTGRES_LAST if self._postgres else _SQLITE_LAST
            last = max(last, self.session.scalar(query, {"name": table.name}) or 0)
        return int(last)


class World(Struct, frozen=True):
    """All lists of the world file, in the order in which they are loaded."""

    lists: Sequence[WorldList]

    def load(self, text: bytes, session: Session, now: datetime) -> Tally:
        """Load a document; raises `WorldError` with the path of what is wrong."""
        try:
            document = msgspec.json.decode(text, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise WorldError("world file", f"is no JSON object: {error}") from error
        self._check_keys(document)
        loader = Loader(session, now)
        begun: set[str] = set()
        for each in self.lists:
            keys = _keys(each.item)
            # Items with an id first, so that no assigned id can be one of theirs.
            items = list(enumerate(document.get(each.name, [])))
            for index, written in sorted(items, key=lambda item: "id" not in item[1]):
                owned = {key: value for key, value in written.items() if key in keys}
                if each.name not in begun or owned.keys() - {"id"}:
                    path = f"{each.name}[{index}]"
                    made = each.load(loader, _read(owned, each.item, path), path)
                    if made is not None:
                        written["id"] = made  # for the parts of this list that come after
            begun.add(each.name)
        loader.finish()
        return loader.tally

    def dump(self, session: Session) -> bytes:
        """Return all rows of the lists as one document."""
        document: dict[str, dict[Any, dict[str, Any]]] = {}
        for each in self.lists:
            rows = document.setdefault(each.name, {})
            for item in each.dump(session):
                plain = msgspec.to_builtins(item)
                rows.setdefault(plain.get("id") or plain.get("code"), {}).update(plain)
        lists = {name: list(rows.values()) for name, rows in document.items() if rows}
        return msgspec.json.format(msgspec.json.encode(lists), indent=2) + b"\n"

    def _check_keys(self, document: Mapping[str, Any]) -> None:
        known: dict[str, set[str]] = {}
        for each in self.lists:
            known.setdefault(each.name, set()).update(_keys(each.item))
        for name, items in document.items():
            if name not in known:
                raise WorldError(name, "unknown key")
            for index, item in enumerate(_read(items, list[dict[str, Any]], name)):
                for key, value in item.items():
                    if key not in known[name]:
                        raise WorldError(f"{name}[{index}].{key}", "unknown key")
                    if _NUL.search(json.dumps(value)):
                        raise WorldError(f"{name}[{index}].{key}", "must not hold NUL")


def given(value: Any, default: Any) -> Any:
    """Return `value`, or `default` where the world file does not list it."""
    return default if isinstance(value, UnsetType) else value


def _keys(item: type[Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(item)}


def _read(written: Any, kind: type[T], path: str) -> T:
    try:
        return msgspec.convert(written, kind)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise WorldError(path + where.rstrip("`"), text.replace("`", "")) from error
