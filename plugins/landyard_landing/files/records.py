"""Database rows of uploaded files: added, found in use, removed (P10, U7)."""

import functools
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    bindparam,
    cast,
    delete,
    insert,
    literal,
    or_,
    select,
    text,
    union_all,
    update,
)

from landyard import Call, Kernel, OutcomeUnknown, Prepared, Settings, UnitOfWork, one_of
from landyard_landing.errors import BlockNotFound
from landyard_landing.files.holding import held_files
from landyard_landing.files.store import FileStore
from landyard_landing.sites.pages import Right, rights_of, visible, with_rights
from landyard_landing.tables import BLOCK, FILE, PAGE, SITE

FILE_TYPES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "tiff": "image/tiff",
    "tif": "image/tiff",
    "ico": "image/x-icon",
    "svg": "image/svg+xml",
}
"""The type of a file by its extension, which follows its content (U1)."""
KEPT = 0
"""In place of a page's id, of a file that stays whatever becomes of pages."""
_AT_ONCE = 500
_LONG_PENDING = timedelta(hours=1)  # no call takes as long
_NOT_THERE = "There is no such block, or it is not yours to edit."
_MENTION = re.compile(r"/files/([0-9a-f]{32})/")
_KEYS = one_of(FILE.key, "keys")
_NO_PAGE: ColumnElement[Any] = literal(0)
_PARAMS = cast(BLOCK.params, Text)

_FIND_TARGET = with_rights(
    select(BLOCK.page_id, or_(PAGE.deleted, SITE.deleted).label("gone"), SITE.type.label("type"))
    .join(PAGE.id.table, PAGE.id == BLOCK.page_id)
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(BLOCK.id == bindparam("block_id")),
    PAGE.site_id,
)
# Erasing a page locks its blocks first: either it sees the new file, or the upload finds no block.
_HELD_TARGET = Prepared(_FIND_TARGET.with_for_update(read=True, key_share=True, of=BLOCK.id.table))
_TARGET = Prepared(_FIND_TARGET)
_ADD = Prepared(insert(FILE.id.table).returning(FILE.id), int)
_LEFT = Prepared(
    select(FILE.key)
    .join(PAGE.id.table, PAGE.id == FILE.page_id, isouter=True)
    .where(_KEYS, PAGE.id.is_(None), FILE.page_id != KEPT),
    str,
)
_KNOWN = Prepared(select(FILE.key).where(_KEYS), str)
_DUE = select(FILE.key).where(FILE.temporary, FILE.created_at < bindparam("before"))
_REMOVE = Prepared(delete(FILE.id.table).where(_KEYS))
_KEEP = Prepared(update(FILE.id.table).where(_KEYS).values(temporary=False))
_OWN = Prepared(
    union_all(
        select(BLOCK.content + _PARAMS).where(one_of(BLOCK.page_id, "page_ids")),
        select(cast(PAGE.additional_fields, Text)).where(one_of(PAGE.id, "page_ids")),
    ),
    str,
)
# Rows are locked in the order of their keys. A call that begins to use a file locks its row shared;
# a call that removes unused files locks it exclusively, and so waits until the use can be seen.
_KEY_ROWS = select(FILE.key).where(_KEYS).order_by(FILE.key)
_USE = Prepared(_KEY_ROWS.with_for_update(read=True, key_share=True))
_JUDGE = Prepared(_KEY_ROWS.with_for_update())


def mentions(column: str, query: Select[Any]) -> dict[str, Select[Any]]:
    """Keep of a query the rows whose text of a column mentions a file, by the dialect."""
    # Word for word the condition of the index on blocks, or it is not used.
    conditions = {
        "sqlite": f"instr({column}, '/files/') > 0",
        "postgresql": f"position('/files/' in CAST({column} AS text)) > 0",
    }
    if column == "content":
        conditions["postgresql"] = "position('/files/' in content) > 0"
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


class NewFile(Struct, frozen=True):
    """A file to be saved: `name` is safe in paths and headers, its extension gives the type."""

    name: str
    content: bytes
    temporary: bool = False


class KeptFile(Struct, frozen=True):
    """A saved file; `src` is its path, the same on every domain of the service."""

    id: int
    src: str


def file_store(settings: Settings) -> FileStore:
    """Return where this service keeps its files."""
    return FileStore(settings.data / "files")


def find_target(call: Call, block_id: int, scope: str | None, *, hold: bool = False) -> int:
    """Find the page of a block, draft or published, that the caller may upload to.

    `hold` locks the block, so that block and page stay until the call ends. Raises `BlockNotFound`
    also where the caller lacks a right (R1 to R6).
    """
    query = _HELD_TARGET if hold else _TARGET
    call.subject = f"block:{block_id}"
    row = query.first(call.connection, block_id=block_id, user_id=call.actor.user_id)
    if row is None:
        raise BlockNotFound(_NOT_THERE)
    page_id, gone, site_type, *rights = row
    call.subject = f"page:{page_id}"
    may_edit = Right.EDIT in rights_of(call.actor, *rights)
    if gone or not visible(site_type, scope) or not may_edit:
        raise BlockNotFound(_NOT_THERE)
    return int(page_id)


def save_file(call: Call, block_id: int, scope: str | None, new: NewFile) -> KeptFile:
    """Save a file for a block, in a transaction of its own; first its bytes, then its row.

    Raises `OSError`, and `BlockNotFound` if block or right are gone meanwhile.
    """
    store = file_store(call.settings(Settings))
    key = secrets.token_hex(16)

    def add(inner: Call) -> int:
        page_id = find_target(inner, block_id, scope, hold=True)
        return _add(inner, key, new, page_id, block_id)

    store.save(key, new.name, new.content)
    try:
        file_id = call.transaction(add, writes=True)
    except OutcomeUnknown:  # it stays pending: a job looks whether there is a row
        raise
    except BaseException:
        store.remove(key)
        raise
    store.confirm(key)
    return KeptFile(file_id, f"/files/{key}/{new.name}")


def mentioned_files(text: str) -> set[str]:
    """Return the keys of the files that a text mentions."""
    return {*_MENTION.findall(text)}


def use_files(connection: Connection, written: str, before: str = "") -> None:
    """Lock the files that the new text mentions, so that they are not removed until the call ends.

    Files that the text mentioned `before` are in use already.
    """
    if connection.dialect.name == "sqlite":
        return  # SQLite has one writer at a time
    if keys := mentioned_files(written) - mentioned_files(before):
        _USE.all(connection, keys=list(keys))


def use_files_of(connection: Connection, page_id: int) -> None:
    """Lock the files that a page mentions; see `use_files`."""
    if connection.dialect.name != "sqlite":
        use_files(connection, "".join(_OWN.all(connection, page_ids=[page_id])))


def erase_files(
    unit: Call | UnitOfWork,
    store: FileStore,
    pages: Sequence[int],
    bound: Iterable[str],
    texts: Iterable[str],
) -> None:
    """Remove the files of pages that are about to be erased, unless other pages use them.

    A page's files are those uploaded for it (`bound`, their keys), and those that it uses while the
    page they were uploaded for is gone. A page uses the files that its blocks and additional fields
    mention (`texts`).
    """
    connection, candidates = unit.connection, set(bound)
    mentioned = {key for text in texts for key in _MENTION.findall(text)}
    if concerned := mentioned | candidates:
        _JUDGE.all(connection, keys=list(concerned))
    if others := mentioned - candidates:
        candidates.update(_LEFT.all(connection, keys=list(others)))
    _remove(unit, store, candidates - _used(connection, candidates, besides=pages))


def remove_unused(call: Call, file_ids: Sequence[int]) -> int:
    """Remove files for good, but for those that pages or sites mention; count them."""
    connection = call.connection
    keys = list(connection.execute(select(FILE.key).where(FILE.id.in_(file_ids))).scalars())
    if not keys:
        return 0
    _JUDGE.all(connection, keys=keys)
    unused = set(keys) - _used(connection, keys)
    _remove(call, file_store(call.settings(Settings)), unused)
    return len(unused)


def remove_temporary(kernel: Kernel, age: timedelta) -> None:
    """Remove temporary files older than `age`; one in use is kept and no longer temporary (U7).

    Also keeps or removes the files that are still pending since a process died.
    """
    store = file_store(kernel.settings)
    now = kernel.now()
    with kernel.store.unit(writes=False) as unit:
        due = list(unit.connection.execute(_DUE, {"before": now - age}).scalars())
    for keys in _batches(due):
        kernel.store.run(functools.partial(_end, store=store, keys=keys), writes=True)
    for keys in _batches(store.pending(now - _LONG_PENDING)):
        with kernel.store.unit(writes=False) as unit:
            known = set(_KNOWN.all(unit.connection, keys=keys))
        for key in keys:
            (store.confirm if key in known else store.remove)(key)


def _add(call: Call, key: str, new: NewFile, page_id: int, block_id: int) -> int:
    file_id = _ADD.first(
        call.connection,
        key=key,
        name=new.name,
        type=FILE_TYPES[new.name.rpartition(".")[2]],
        size=len(new.content),
        page_id=page_id,
        block_id=block_id,
        temporary=new.temporary,
        created_at=call.now(),
        created_by=call.actor.user_id,
    )
    assert file_id is not None
    return file_id


def _end(unit: UnitOfWork, store: FileStore, keys: list[str]) -> None:
    _JUDGE.all(unit.connection, keys=keys)
    used = _used(unit.connection, keys)
    if used:
        _KEEP.run(unit.connection, keys=list(used))
    _remove(unit, store, set(keys) - used - held_files(unit.connection, mentioned_files, keys))


def _used(connection: Connection, keys: Collection[str], besides: Sequence[int] = ()) -> set[str]:
    """Find which of `keys` pages other than `besides` mention, in drafts too."""
    wanted, pages = set(keys), set(besides)
    used: set[str] = set()
    for queries in MENTIONS:
        if used < wanted:
            for page_id, html in connection.execute(queries[connection.dialect.name]):
                if page_id not in pages:
                    used.update(wanted.intersection(_MENTION.findall(html)))
    return used


def _remove(unit: Call | UnitOfWork, store: FileStore, keys: Collection[str]) -> None:
    if keys:
        _REMOVE.run(unit.connection, keys=list(keys))
    for key in keys:
        store.mark_pending(key)
        unit.on_rollback(functools.partial(store.confirm, key))
        unit.on_commit(functools.partial(store.remove, key))


def _batches(keys: Iterable[str]) -> Iterable[list[str]]:
    waiting = list(keys)
    return (waiting[first : first + _AT_ONCE] for first in range(0, len(waiting), _AT_ONCE))
