"""Compares the rows of files with the store: missing files, wrong sizes, files without a row."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import select

from landyard import Host, Prepared, one_of
from landyard_content.files.records import batches, file_store
from landyard_content.files.store import FileStore, StoredFile
from landyard_landing.tables import FILE

_YOUNG = timedelta(days=1)  # a file may wait for its row meanwhile
_ROWS = select(FILE.key, FILE.name, FILE.size).order_by(FILE.id)
_STORED = Prepared(select(FILE.key).where(one_of(FILE.key, "keys")), str)


class Found(Struct, frozen=True):
    """A difference between the rows and the store.

    `what` is `missing`, `wrong size`, `without a row` or `unknown`. The last is no file of the
    service, and stays. `size` is in bytes: in the store, or in the row of a missing file.
    """

    what: str
    file: str
    size: int
    key: str


def compare(host: Host) -> Iterator[Found]:
    """Find the differences; a file that is younger than a day may lack a row."""
    store = file_store(host)
    listed: dict[tuple[str, str], StoredFile] = {}
    for each in store.listing():
        listed[each.key, each.name] = each
    yield from _wrong(host, store, listed)
    yield from _without_row(host, listed.values(), host.now() - _YOUNG)


def remove(host: Host, found: Iterable[Found]) -> int:
    """Remove the files without a row; return their number. Rows are never removed."""
    store = file_store(host)
    keys = {each.key for each in found if each.what == "without a row"}
    for batch in batches(keys):
        for key in set(batch) - _stored(host, batch):
            store.remove(key)
    return len(keys)


def _wrong(
    host: Host, store: FileStore, listed: dict[tuple[str, str], StoredFile]
) -> Iterator[Found]:
    with host.store.unit(writes=False) as unit:
        rows = unit.connection.execute(_ROWS.execution_options(yield_per=1000)).all()
    for key, name, size in rows:
        each = listed.get((key, name))
        try:
            # A file that was saved after the listing is looked for once more.
            there = each.size if each else store.size(key, name)
        except FileNotFoundError:
            if key in _stored(host, [key]):  # else it was removed meanwhile
                yield Found("missing", f"{key}/{name}", size, key)
        else:
            if there != size:
                yield Found("wrong size", f"{key}/{name}", there, key)


def _without_row(host: Host, listed: Iterable[StoredFile], before: datetime) -> Iterator[Found]:
    for batch in batches(listed):
        stored = _stored(host, [each.key for each in batch if each.key])
        for each in batch:
            if not each.key:
                yield Found("unknown", each.name, each.size, "")
            elif each.key not in stored and each.changed_at < before:
                yield Found("without a row", f"{each.key}/{each.name}", each.size, each.key)


def _stored(host: Host, keys: list[str]) -> set[str]:
    with host.store.unit(writes=False) as unit:
        return set(_STORED.all(unit.connection, keys=keys)) if keys else set()
