"""Database rows of uploaded files: finds those in use, locks them, removes the others (P10, U7)."""

import functools
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    delete,
    literal,
    select,
    text,
    update,
)

from landyard import Call, Host, Prepared, Settings, Unavailable, UnitOfWork, one_of
from landyard_content.files.bucket_store import BucketStore
from landyard_content.files.folder_store import FolderStore
from landyard_content.files.holding import held_files
from landyard_content.files.settings import FileSettings
from landyard_content.files.store import FileStore
from landyard_landing.tables import BLOCK, FILE, MENTIONS_FILES, PAGE, SITE

KEPT = 0
"""In place of a page's id: the file is kept even when pages are removed."""
_AT_ONCE = 500
_Item = TypeVar("_Item")
_MENTION = re.compile(r"/files/([0-9a-f]{32})/")
_KEYS = one_of(FILE.key, "keys")
_NO_PAGE: ColumnElement[Any] = literal(0)
_PARAMS = cast(BLOCK.params, Text)

_LEFT = Prepared(
    select(FILE.key)
    .join(PAGE.id.table, PAGE.id == FILE.page_id, isouter=True)
    .where(_KEYS, PAGE.id.is_(None), FILE.page_id != KEPT),
    str,
)
_STORED = Prepared(select(FILE.key).where(_KEYS), str)
_DUE = select(FILE.key).where(FILE.temporary, FILE.created_at < bindparam("before"))
_REMOVE = Prepared(delete(FILE.id.table).where(_KEYS).returning(FILE.key, FILE.name))
_KEEP = Prepared(update(FILE.id.table).where(_KEYS).values(temporary=False))
_LET_GO = Prepared(
    update(FILE.id.table).where(_KEYS).values(temporary=True, created_at=bindparam("freed_at"))
)
# Rows are locked in the order of their keys. A call that starts to use a file locks its row shared;
# a call that removes unused files locks it exclusively, and so waits until the use is committed.
_KEY_ROWS = select(FILE.key).where(_KEYS).order_by(FILE.key)
_USE = Prepared(_KEY_ROWS.with_for_update(read=True, key_share=True))
_JUDGE = Prepared(_KEY_ROWS.with_for_update())


def mentions(column: str, query: Select[Any]) -> dict[str, Select[Any]]:
    """Restrict a query to rows whose column mentions a file; one query for each dialect."""
    # Word for word the condition of the index on blocks: otherwise the index is not used.
    conditions = {
        "sqlite": f"{column} GLOB '*/files/*'",
        "postgresql": f"position('/files/' in CAST({column} AS text)) > 0",
    }
    if column in ("content", "params"):
        conditions["postgresql"] = MENTIONS_FILES["postgresql"]  # of both columns
    return {
        dialect: query.where(text(condition)).execution_options(yield_per=100)
        for dialect, condition in conditions.items()
    }


MENTIONS = (
    mentions("content", select(BLOCK.page_id, BLOCK.content)),
    mentions("params", select(BLOCK.page_id, _PARAMS)),
    mentions("additional_fields", select(PAGE.id, cast(PAGE.additional_fields, Text))),
    mentions("additional_fields", select(_NO_PAGE, cast(SITE.additional_fields, Text))),
)


def file_store(host: Call | Host) -> FileStore:
    """Return the store of this service's files: a folder of the data directory, or a bucket."""
    section = host.settings if isinstance(host, Call) else host.section
    return _file_store(section(Settings).data, section(FileSettings))


@functools.lru_cache(maxsize=16)
def _file_store(data: Path, settings: FileSettings) -> FileStore:
    if settings.url:
        return BucketStore(settings)
    return FolderStore(data / "files", settings.accel_redirect)


def is_settled(host: Host, store: FileStore, key: str) -> bool:
    """Tell whether a file is there to stay for now, so that an answer with it may be kept.

    Raises `FileNotFoundError` where the row alone tells, and there is none.
    """
    pending = store.is_pending(key)
    if pending is not None:
        return not pending
    try:
        with host.store.unit(writes=False) as unit:
            stored = stored_keys(unit.connection, [key])
    except Unavailable:  # the file may be there
        return False
    if not stored:
        raise FileNotFoundError(key)
    return True


def mentioned_files(text: str) -> set[str]:
    """Return the keys of the files that a text mentions."""
    return {*_MENTION.findall(text)} if "/files/" in text else set()  # few texts do


def use_files(connection: Connection, written: str, before: str = "") -> None:
    """Lock the files that a new text mentions, so that they are not removed until the call ends.

    Files that the text mentioned `before` are in use already.
    """
    hold_files(connection, mentioned_files(written) - mentioned_files(before))


def hold_files(connection: Connection, keys: Collection[str]) -> None:
    """Lock newly used files by their keys, so that they are not removed until the call ends."""
    if keys and connection.dialect.name != "sqlite":  # SQLite has one writer at a time
        _USE.all(connection, keys=list(keys))


def erase_files(
    unit: Call | UnitOfWork,
    store: FileStore,
    pages: Sequence[int],
    bound: Iterable[str],
    texts: Iterable[str],
) -> None:
    """Remove the files of pages that are about to be erased, unless other pages use them.

    `bound` are the keys of files uploaded for these pages. `texts` are the pages' blocks and
    additional fields; a file that they mention is removed as well if the page for which it was
    uploaded no longer exists.
    """
    connection, candidates = unit.connection, set(bound)
    mentioned = {key for text in texts for key in _MENTION.findall(text)}
    if affected := mentioned | candidates:
        _JUDGE.all(connection, keys=list(affected))
    if others := mentioned - candidates:
        candidates.update(_LEFT.all(connection, keys=list(others)))
    _remove(unit, store, candidates - _used(connection, candidates, besides=pages))


def remove_unused(call: Call, file_ids: Sequence[int]) -> int:
    """Remove files for good, except files that pages or sites mention; return their number.

    A file that an undo may need becomes temporary instead, and is removed once no undo needs it.
    """
    connection = call.connection
    keys = list(connection.execute(select(FILE.key).where(FILE.id.in_(file_ids))).scalars())
    if not keys:
        return 0
    _JUDGE.all(connection, keys=keys)
    unused = set(keys) - _used(connection, keys)
    if held := unused & held_files(connection, mentioned_files, keys):
        _LET_GO.run(connection, keys=list(held), freed_at=call.now())
    _remove(call, file_store(call), unused - held)
    return len(unused - held)


def remove_temporary(host: Host, age: timedelta) -> None:
    """Remove temporary files older than `age`; a file in use is kept and no longer temporary (U7).

    Also keeps or removes, by its row, each file that may lack one since a process died.
    """
    store = file_store(host)
    now = host.now()
    with host.store.unit(writes=False) as unit:
        due = list(unit.connection.execute(_DUE, {"before": now - age}).scalars())
    for keys in batches(due):
        host.store.run(functools.partial(_end, store=store, keys=keys), writes=True)
    for keys in batches(store.unsettled(now)):
        gone = abandoned(host, keys)
        for key in keys:
            (store.remove if key in gone else store.confirm)(key)


def abandoned(host: Host, keys: Collection[str]) -> set[str]:
    """Find the `keys` that no row names, and that no page, site or undo mentions."""
    with host.store.unit(writes=False) as unit:
        connection = unit.connection
        gone = set(keys) - stored_keys(connection, keys)
        if not gone:
            return gone
        held = held_files(connection, mentioned_files, gone)
        return gone - held - _used(connection, gone)


def stored_keys(connection: Connection, keys: Collection[str]) -> set[str]:
    """Find the `keys` that have a row."""
    return set(_STORED.all(connection, keys=list(keys))) if keys else set()


def _end(unit: UnitOfWork, store: FileStore, keys: list[str]) -> None:
    _JUDGE.all(unit.connection, keys=keys)
    used = _used(unit.connection, keys)
    if used:
        _KEEP.run(unit.connection, keys=list(used))
    _remove(unit, store, set(keys) - used - held_files(unit.connection, mentioned_files, keys))


def _used(connection: Connection, keys: Collection[str], besides: Sequence[int] = ()) -> set[str]:
    """Find the `keys` that sites or other pages than `besides` mention, drafts included."""
    wanted, pages = set(keys), set(besides)
    used: set[str] = set()
    for queries in MENTIONS:
        if used < wanted:
            for page_id, html in connection.execute(queries[connection.dialect.name]):
                if page_id not in pages:
                    used.update(wanted.intersection(_MENTION.findall(html)))
    return used


def _remove(unit: Call | UnitOfWork, store: FileStore, keys: Collection[str]) -> None:
    for key, name in _REMOVE.all(unit.connection, keys=list(keys)) if keys else ():
        store.mark_pending(key)
        unit.on_rollback(functools.partial(store.confirm, key))
        unit.on_commit(functools.partial(store.remove, key, name))


def batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield the items in lists of at most five hundred."""
    left = iter(items)
    while batch := [*itertools.islice(left, _AT_ONCE)]:
        yield batch
