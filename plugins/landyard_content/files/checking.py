"""Compares the rows of files with the store: missing files, wrong sizes, files without a row."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import select

from landyard import Host
from landyard_content.files.records import abandoned, batches, file_store, stored_keys
from landyard_content.files.store import FileStore, StoredFile
from landyard_landing.tables import FILE

_YOUNG = timedelta(days=1)  # a file may wait for its row meanwhile
_ROWS = select(FILE.key, FILE.name, FILE.size).order_by(FILE.id)


class Found(Struct, frozen=True):
    """A difference between the rows and the store.

    `what` is `missing`, `wrong size`, `without a row`, `used without a row` or `unknown`. The last
    is no file of the service. `size` is in bytes: in the store, or in the row of a missing file.
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
    """Remove the files without a row, unless something uses them by now; return their number."""
    store = file_store(host)
    count = 0
    for batch in batches({each.key for each in found if each.what == "without a row"}):
        for key in abandoned(host, batch):
            store.remove(key)
            count += 1
    return count


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
            with host.store.unit(writes=False) as unit:
                if stored_keys(unit.connection, [key]):  # else it was removed meanwhile
                    yield Found("missing", f"{key}/{name}", size, key)
        else:
            if there != size:
                yield Found("wrong size", f"{key}/{name}", there, key)


def _without_row(host: Host, listed: Iterable[StoredFile], before: datetime) -> Iterator[Found]:
    for batch in batches(listed):
        keys = {each.key for each in batch if each.key}
        with host.store.unit(writes=False) as unit:
            keys -= stored_keys(unit.connection, keys)
        gone = abandoned(host, keys)
        for each in batch:
            if not each.key:
                yield Found("unknown", each.name, each.size, "")
            elif each.key in keys and each.changed_at < before:
                what = "without a row" if each.key in gone else "used without a row"
                yield Found(what, f"{each.key}/{each.name}", each.size, each.key)
