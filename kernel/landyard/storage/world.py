"""World files: load a whole service from one JSON document, all or nothing, and dump it."""

import io
import itertools
import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, BinaryIO, TypeVar

import msgspec
from msgspec import Meta, Struct
from sqlmodel import Session

from landyard.storage.world_file import WorldError, WorldFile
from landyard.storage.world_loader import Loader, Records, Tally, given

__all__ = ["Loader", "RowId", "Tally", "World", "WorldError", "WorldList", "given"]

RowId = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""An id in a world file."""

T = TypeVar("T")

_MANY = 1000  # rows that are written together
_NUL = re.compile(r"(?<!\\)(\\{2})*\\u0000")  # in JSON; not of a backslash that is escaped itself


class WorldList(Struct, frozen=True, kw_only=True):
    """A list of the world file, or one plugin's keys in it.

    `item` has a field for each key; keys that an item leaves out are `UNSET`. Several plugins may
    add keys to one list: the first `load` makes the row and returns its id, the others get that
    id as the item's `id`.

    `finish` is given all items once more, each with its path and the id that `load` returned, when
    everything is loaded and all ids of the file are known.
    """

    name: str
    item: type[Struct]
    load: "Callable[[Loader, Any, str], int | None]"
    dump: Callable[[Session], Iterable[Struct]]
    finish: "Callable[[Loader, Iterable[tuple[Any, str, int]]], object] | None" = None


class World(Struct, frozen=True):
    """All lists of the world file, in the order in which they are loaded.

    `absent` says which plugins have failed, for they may have brought a list that is not known;
    `records` finds what plugins bring.
    """

    lists: Sequence[WorldList]
    absent: str
    records: Records

    def load(
        self,
        file: BinaryIO | bytes,
        session: Session,
        now: datetime,
        told: Callable[[int], object] = lambda _size: None,
    ) -> Tally:
        """Load a document, which can be read again from any place.

        `told` is told of the bytes of each item as it is loaded. Raises `WorldError` with the path
        of what is wrong.
        """
        document = WorldFile(io.BytesIO(file) if isinstance(file, bytes) else file)
        orders = self._orders(document)
        loader = Loader(session, now, self.records)
        made = {name: array("q", bytes(8 * count)) for name, count in document.counts.items()}
        begun: set[str] = set()

        def items(part: WorldList) -> Iterator[tuple[Any, str, int]]:
            keys = _keys(part.item)
            for index, written, raw in document.items(part.name, orders.get(part.name, ())):
                owned = {key: value for key, value in written.items() if key in keys}
                if part.name not in begun:
                    told(len(raw))
                elif made[part.name][index]:
                    owned["id"] = made[part.name][index]
                if part.name not in begun or owned.keys() - {"id"}:
                    path = f"{part.name}[{index}]"
                    yield _read(owned, part.item, path), path, index
                    loader.flush(_MANY)

        for each in self.lists:
            for item, path, index in items(each):
                made[each.name][index] = each.load(loader, item, path) or made[each.name][index]
            begun.add(each.name)
        for each in self.lists:
            if each.finish is not None and each.name in made:
                ids = made[each.name]
                each.finish(loader, ((item, path, ids[index]) for item, path, index in items(each)))
        loader.finish()
        return loader.tally

    def dump(self, session: Session) -> Iterator[bytes]:
        """Write all rows of the lists as one document, in pieces."""
        before = b"{"
        for name in dict.fromkeys(each.name for each in self.lists):
            parts = [each.dump for each in self.lists if each.name == name]
            rows: Iterable[Any] = map(msgspec.to_builtins, parts[0](session))
            if len(parts) > 1:
                rows = _joined([rows, *(map(msgspec.to_builtins, of(session)) for of in parts[1:])])
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

    def _orders(self, document: WorldFile) -> dict[str, list[int]]:
        """Check the names of all keys; return the indexes of each list, items with an id first.

        No id that is assigned can be one of theirs then.
        """
        hint = f"; {self.absent}" if self.absent else ""
        known: dict[str, set[str]] = {}
        for each in self.lists:
            known.setdefault(each.name, set()).update(_keys(each.item))
        orders = {}
        for name, count in document.counts.items():
            if name not in known:
                raise WorldError(name, f"unknown key{hint}")
            named: list[int] = []
            unnamed: list[int] = []
            for index, item, raw in document.items(name, range(count)):
                (named if "id" in item else unnamed).append(index)
                for key, value in item.items():
                    if key not in known[name]:
                        raise WorldError(f"{name}[{index}].{key}", f"unknown key{hint}")
                    if b"u0000" in raw and _NUL.search(json.dumps(value)):
                        raise WorldError(f"{name}[{index}].{key}", "must not hold NUL")
            orders[name] = named + unnamed
        return orders


def _joined(parts: Iterable[Iterable[dict[str, Any]]]) -> Iterable[dict[str, Any]]:
    """Put together what several plugins say of the same rows."""
    rows: dict[Any, dict[str, Any]] = {}
    for row in itertools.chain.from_iterable(parts):
        rows.setdefault(row.get("id") or row.get("code"), {}).update(row)
    return rows.values()


def _keys(item: type[Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(item)}


def _read(written: Any, kind: type[T], path: str) -> T:
    try:
        return msgspec.convert(written, kind)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$")
        raise WorldError(path + where.rstrip("`"), text.replace("`", "")) from error
