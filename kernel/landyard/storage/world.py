"""World files: loads a whole service from one JSON document, all or nothing, and dumps it."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Annotated, Any, BinaryIO, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct, structs
from sqlalchemy import Connection

from landyard.storage.world_file import WorldError, find_items, find_lists, read_item
from landyard.storage.world_loader import Key, Loader, Records, Sections, Tally

__all__ = ["Loader", "RowId", "Tally", "World", "WorldError", "WorldList"]

RowId = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""An id in a world file."""

T = TypeVar("T")

_TOGETHER = 1 << 21  # bytes; a batch of items ends above this size
_ROW = 1 << 10  # bytes; a batch counts them for each item and for each row that an item needs
_NUL = re.compile(r"(?<!\\)(\\{2})*\\u0000")  # NUL in JSON; its backslash is not escaped


class WorldList(Struct, frozen=True, kw_only=True):
    """A list of the world file, or one plugin's keys in it.

    `item` has a field for each key; keys that an item leaves out are `UNSET`. Several plugins may
    add keys to one list: the first `load` makes the row and returns its id, the others get that
    id as the item's `id`. `dump` reads the rows through a session.

    `rows` names rows that `load` will look for, each by its table and a key of columns: those of
    many items are read together, and no id among them is assigned to another row.
    """

    name: str
    item: type[Struct]
    load: "Callable[[Loader, Any, str], int | None]"
    dump: Callable[[Any], Iterable[Struct]] = lambda _session: ()
    rows: "Callable[[Any], Iterable[Key]]" = lambda _item: ()


class World(Struct, frozen=True):
    """All lists of the world file, in the order in which they are loaded.

    `absent` says which plugins have failed, for they may have brought a list that is not known;
    `records` finds what plugins bring, `sections` finds settings by their type.
    """

    lists: Sequence[WorldList]
    absent: str
    records: Records
    sections: Sections

    def load(
        self,
        file: BinaryIO | bytes,
        connection: Connection,
        now: datetime,
        told: Callable[[int], object] = lambda _size: None,
    ) -> Tally:
        """Load a document: its bytes, or a file of the machine's.

        `told` is told of the bytes of each item as it is loaded. Raises `WorldError` with the path
        of what is wrong.
        """
        lists = find_lists(file)
        loader = Loader(connection, now, self.records, self.sections)
        named = {name: bytearray() for name in lists}
        for name, flags in named.items():
            items = find_items(name, lists[name])
            for item in chain.from_iterable(self._batches(name, items, range(len(items)))):
                flags.append(item.named)
                for model, key in item.rows:
                    loader.reserve(model, key.get("id", 0))
        for name in dict.fromkeys(each.name for each in self.lists if each.name in named):
            items, flags = find_items(name, lists[name]), named[name]
            # Those with an id first: no id that is assigned can be one of theirs then.
            order = (index for flag in (1, 0) for index, of in enumerate(flags) if of == flag)
            for batch in self._batches(name, items, order):
                loader.read(chain.from_iterable(item.rows for item in batch))
                for item in batch:
                    row_id = None
                    for owner, written in item.parts:
                        whole = structs.replace(written, id=row_id) if row_id else written
                        row_id = owner.load(loader, whole, item.path) or row_id
                    told(item.size)
        loader.finish()
        return loader.tally

    def dump(self, session: Any) -> Iterator[bytes]:
        """Write all rows of the lists as one document, in pieces."""
        before = b"{"
        for name in dict.fromkeys(each.name for each in self.lists):
            dumped = (each.dump(session) for each in self.lists if each.name == name)
            parts = [map(msgspec.to_builtins, items) for items in dumped]
            rows: Iterable[Any] = _joined(parts) if len(parts) > 1 else parts[0]
            within = b""
            for row in rows:
                text = msgspec.json.format(msgspec.json.encode(row), indent=2)
                start = within or before + b'\n  "%b": [' % name.encode()
                yield start + b"\n    " + text.replace(b"\n", b"\n    ")
                within = b","
            if within:
                yield b"\n  ]"
                before = b","
        yield b"{}\n" if before == b"{" else b"\n}\n"

    def _batches(
        self, name: str, items: Sequence[Raw], which: Iterable[int]
    ) -> "Iterator[list[_Item]]":
        """Read items of a list, as many at a time as fit into memory with their rows.

        Raises `WorldError`, also where nobody knows a key.
        """
        hint = f"; {self.absent}" if self.absent else ""
        mine = [each for each in self.lists if each.name == name]
        owners = [(each, {key.encode_name for key in structs.fields(each.item)}) for each in mine]
        known = set[str]().union(*(keys for _, keys in owners))
        if not owners:
            raise WorldError(name, f"unknown key{hint}")
        batch, size = [], 0
        for index in which:
            path, raw = f"{name}[{index}]", bytes(items[index])
            written = read_item(path, raw)
            for key in written.keys() - known:
                raise WorldError(f"{path}.{key}", f"unknown key{hint}")
            for key in written if b"u0000" in raw else ():
                if _NUL.search(json.dumps(written[key])):
                    raise WorldError(f"{path}.{key}", "must not hold NUL")
            parts: list[tuple[WorldList, Any]] = []
            for owner, keys in owners:
                owned = {key: value for key, value in written.items() if key in keys}
                if not parts or owned.keys() - {"id"}:
                    parts.append((owner, _read(owned, owner.item, path)))
            rows = [row for owner, item in parts for row in owner.rows(item)]
            batch.append(_Item(path, len(raw), "id" in written, parts, rows))
            size += len(raw) + _ROW * (1 + len(rows))
            if size > _TOGETHER:
                yield batch
                batch, size = [], 0
        yield batch


class _Item(Struct, frozen=True):
    path: str
    size: int
    named: bool
    parts: Sequence[tuple[WorldList, Any]]
    rows: Sequence[Key]


def _joined(parts: Iterable[Iterable[dict[str, Any]]]) -> Iterable[dict[str, Any]]:
    rows: dict[Any, dict[str, Any]] = {}
    for row in chain.from_iterable(parts):
        rows.setdefault(row.get("id") or row.get("code"), {}).update(row)
    return rows.values()


def _read(written: Any, kind: type[T], path: str) -> T:
    try:
        return msgspec.convert(written, kind)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise WorldError(path + where.rstrip("`"), text.replace("`", "")) from error
