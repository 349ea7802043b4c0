"""World files: a whole service as one JSON document, loaded all or nothing and dumped again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from sqlalchemy import ColumnElement, Table, cast, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import REGCLASS
from sqlmodel import Session, SQLModel

RowId = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""An id in a world file."""

Written = Mapping[str, Any]
Progress = Callable[[int, int], None]


class WorldError(Exception):
    """A world file is wrong; the text begins with the path, e.g. `users[0].name: …`."""

    @classmethod
    def at(cls, path: str, text: str) -> "WorldError":
        return cls(f"{path}: {text}")


class WorldList(Struct, frozen=True, kw_only=True):
    """One owner's part of a list of the world file.

    `item` gives the keys this owner brings; those left out of an item are `UNSET`. Several
    owners may bring keys of one list: the first makes the row and answers its id, the others
    find it as the item's `id`.
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
    """A load under way: rows are found or made, and compared before they are written."""

    def __init__(self, session: Session, now: datetime) -> None:
        """Write through `session`, which commits or rolls back the whole world."""
        self.session = session
        self.now = now
        self.tally = Tally()
        self._checks: list[Callable[[], None]] = []
        self._given_ids: set[Table] = set()
        self._reserved: dict[Table, int] = {}
        self._listed: set[tuple[type[SQLModel], int]] = set()

    def save(
        self, model: type[SQLModel], key: Written, values: Written, defaults: Written | None = None
    ) -> int:
        """Find the row with `key`, or make it with `defaults`; set `values`; answer its id.

        `UNSET` values are left alone. A key of None values never finds a row: it is assigned an id
        beyond all that are given or reserved.
        """
        table: Table = model.__table__  # type: ignore[attr-defined]
        listed = {name: value for name, value in values.items() if value is not UNSET}
        row = self._find(table, key)
        if row is None:
            assigned = {name: value for name, value in key.items() if value is not None}
            if "id" in assigned:
                self._given_ids.add(table)
            elif table in self._given_ids or table in self._reserved:
                assigned["id"] = self._next_id(table)
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

    def _find(self, table: Table, key: Written) -> Mapping[str, Any] | None:
        if not key or all(value is None for value in key.values()):
            return None
        wanted = [
            table.c[name].is_(None) if value is None else table.c[name] == value
            for name, value in key.items()
        ]
        row = self.session.execute(select(table).where(*wanted).limit(1)).mappings().first()
        return None if row is None else dict(row)

    def reserve(self, model: type[SQLModel], row_id: int) -> None:
        """Assign no id up to this one: a row later in the file is given it."""
        table: Table = model.__table__  # type: ignore[attr-defined]
        self._reserved[table] = max(row_id, self._reserved.get(table, 0))

    def find(self, model: type[SQLModel], key: Written) -> Mapping[str, Any] | None:
        """Find a row as it is stored by now; a key of None values finds none."""
        return self._find(model.__table__, key)  # type: ignore[attr-defined]

    def amend(self, model: type[SQLModel], row_id: int, values: Written) -> None:
        """Set columns that follow from others and count as no change of their own."""
        table: Table = model.__table__  # type: ignore[attr-defined]
        row = self._find(table, {"id": row_id})
        if row is not None and any(row[name] != value for name, value in values.items()):
            self.session.execute(update(table).where(table.c.id == row_id).values(values))

    def need(self, model: type[SQLModel], row_id: int, path: str, noun: str) -> None:
        """Raise `WorldError` at `path` unless the row exists by now."""
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
        if not isinstance(row_id, int):
            return
        if (model, row_id) in self._listed:
            self.refuse(path, f"{row_id} is listed twice")
        self._listed.add((model, row_id))

    def later(self, check: Callable[[], None]) -> None:
        """Run `check` when everything is loaded."""
        self._checks.append(check)

    def refuse(self, path: str, text: str) -> NoReturn:
        """Give the whole load up."""
        raise WorldError.at(path, text)

    def finish(self) -> None:
        """Run the late checks, and let the sequences step over the ids given."""
        for check in self._checks:
            check()
        for table in self._given_ids | self._reserved.keys():
            self._step_over(table)

    def _next_id(self, table: Table) -> int:
        highest = self.session.execute(select(func.max(table.c.id))).scalar() or 0
        last = max(highest, self._last_id(table), self._reserved.get(table, 0))
        following = int(last) + 1
        if following >= 2**31:
            self.refuse(table.name, "no ids are left behind the highest one given")
        return following

    def _last_id(self, table: Table) -> int:
        """Return the last id that the database gave, also to a row that is gone; 0 if unknown."""
        if self._sequenced:
            last = func.pg_sequence_last_value(cast(_sequence(table), REGCLASS))
            return int(self.session.execute(select(last)).scalar() or 0)
        if not table.dialect_options["sqlite"]["autoincrement"]:
            return 0
        kept = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
        return int(self.session.execute(kept, {"name": table.name}).scalar() or 0)

    def _step_over(self, table: Table) -> None:
        """PostgreSQL's sequences know nothing of ids that were given."""
        highest = self.session.execute(select(func.max(table.c.id))).scalar() or 0
        # Never back: the ids of rows that are gone are not used again.
        if self._sequenced and highest > self._last_id(table):
            self.session.execute(select(func.setval(_sequence(table), highest)))

    @property
    def _sequenced(self) -> bool:
        return self.session.get_bind().dialect.name == "postgresql"


def _sequence(table: Table) -> ColumnElement[str]:
    return func.pg_get_serial_sequence(table.name, "id")


class World:
    """Every owner's lists together."""

    def __init__(self, lists: Sequence[WorldList]) -> None:
        """Take the lists in the order in which they are loaded."""
        self.lists = lists

    def load(
        self, text: bytes, session: Session, now: datetime, progress: Progress = lambda *_: None
    ) -> Tally:
        """Load a document; raises `WorldError` with the path of what is wrong."""
        document = _decode(text)
        known = {each.name for each in self.lists}
        for name, items in document.items():
            if name not in known:
                raise WorldError.at(name, "unknown key")
            if not isinstance(items, list):
                raise WorldError.at(name, "must be a list")
            self._check_keys(name, items)
        loader = Loader(session, now)
        total = sum(len(document.get(each.name, [])) for each in self.lists)
        done = 0
        for each in self.lists:
            # Ids that are given first, so that none that is left out can take one of them.
            items = list(enumerate(document.get(each.name, [])))
            for index, written in sorted(items, key=lambda item: "id" not in item[1]):
                self._load_item(loader, each, written, f"{each.name}[{index}]")
                done += 1
                progress(done, total)
        loader.finish()
        return loader.tally

    def dump(self, session: Session) -> bytes:
        """Write everything that the lists hold as one document."""
        document: dict[str, dict[Any, dict[str, Any]]] = {}
        for each in self.lists:
            rows = document.setdefault(each.name, {})
            for item in each.dump(session):
                plain = msgspec.to_builtins(item)
                rows.setdefault(plain.get("id") or plain.get("code"), {}).update(plain)
        lists = {name: list(rows.values()) for name, rows in document.items() if rows}
        return msgspec.json.format(msgspec.json.encode(lists), indent=2) + b"\n"

    def _check_keys(self, name: str, items: list[Any]) -> None:
        keys = {key for each in self.lists if each.name == name for key in _keys(each.item)}
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                raise WorldError.at(f"{name}[{index}]", "must be an object")
            for key in item:
                if key not in keys:
                    raise WorldError.at(f"{name}[{index}].{key}", "unknown key")

    def _load_item(
        self, loader: Loader, part: WorldList, written: dict[str, Any], path: str
    ) -> None:
        keys = _keys(part.item)
        owned = {key: value for key, value in written.items() if key in keys}
        first = next(each for each in self.lists if each.name == part.name) is part
        if not first and owned.keys() <= {"id"}:
            return
        made = part.load(loader, _read(owned, part.item, path), path)
        if made is not None:
            written["id"] = made  # for the owners that come after; the document is ours


def given(value: Any, default: Any) -> Any:
    """Return `value`, or `default` where the world file does not list it."""
    return default if isinstance(value, UnsetType) else value


def _decode(text: bytes) -> dict[str, Any]:
    try:
        document = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WorldError.at("world file", f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise WorldError.at("world file", "must be an object")
    if b"\\u0000" in text:
        _refuse_nul(document, "")
    return document


def _refuse_nul(value: Any, path: str) -> None:
    match value:
        case dict():
            for key, item in value.items():
                _refuse_nul(key, f"{path}.{key}")
                _refuse_nul(item, f"{path}.{key}".lstrip("."))
        case list():
            for index, item in enumerate(value):
                _refuse_nul(item, f"{path}[{index}]")
        case str() if "\0" in value:
            raise WorldError.at(path.lstrip(".").replace("\0", "\\u0000"), "must not hold NUL")


def _keys(item: type[Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(item)}


def _read(written: Written, item: type[Struct], path: str) -> Struct:
    try:
        return msgspec.convert(written, item)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise WorldError.at(path + where.rstrip("`"), text.replace("`", "")) from error
