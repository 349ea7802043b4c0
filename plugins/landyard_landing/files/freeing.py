"""Releases uploaded files for removal, and keeps files that texts outside of pages mention (U7).

A released file becomes temporary: it is removed later, unless something uses it by then.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared, one_of
from landyard_landing.files.records import KEPT, mentioned_files
from landyard_landing.tables import FILE

# In the order of keys, as all calls lock files.
_OF_BLOCKS = (
    select(FILE.key)
    .where(FILE.page_id == bindparam("page_id"), one_of(FILE.block_id, "block_ids"))
    .order_by(FILE.key)
    .with_for_update()
)
_BOUND_TO = Prepared(_OF_BLOCKS, str)
_BOUND_FILE = Prepared(_OF_BLOCKS.where(FILE.id == bindparam("file_id")), str)
_FREE = Prepared(
    update(FILE.id.table)
    .where(one_of(FILE.key, "keys"))
    .values(temporary=True, created_at=bindparam("freed_at"))
)
_NOWHERE = -1  # in place of a page's id: the file is removed with the last page that uses it
_LOCK = Prepared(
    select(FILE.key).where(one_of(FILE.key, "keys")).order_by(FILE.key).with_for_update()
)
_OF_KEYS = update(FILE.id.table).where(one_of(FILE.key, "keys"))
_KEEP, _LET_GO = Prepared(_OF_KEYS), Prepared(_OF_KEYS.where(FILE.page_id == KEPT))


def free_files(
    call: Call, page_id: int, block_ids: Sequence[int], file_id: int | None = None
) -> None:
    """Release the files that were uploaded for blocks of a page, or only the file `file_id`.

    They are temporary from now on; a file that is used before its removal is kept.
    """
    named: dict[str, Any] = {"page_id": page_id, "block_ids": list(block_ids)}
    if file_id is None:
        keys = _BOUND_TO.all(call.connection, **named)
    else:
        keys = _BOUND_FILE.all(call.connection, **named, file_id=file_id)
    if keys:
        _FREE.run(call.connection, keys=keys, freed_at=call.now())


def keep_files(call: Call, text: str) -> None:
    """Keep the files that a text outside of pages mentions, until `let_go` releases them."""
    _keep(call, mentioned_files(text), page_id=KEPT, temporary=False)


def let_go(call: Call, text: str, *, others: Iterable[str]) -> None:
    """Release the files that a kept text mentions, except files that the texts `others` mention."""
    keys = mentioned_files(text)
    for other in others if keys else ():
        keys -= mentioned_files(other)
    _keep(call, keys, page_id=_NOWHERE, temporary=True, created_at=call.now())


def _keep(call: Call, keys: set[str], **values: Any) -> None:
    if keys:
        _LOCK.all(call.connection, keys=list(keys))
        (_LET_GO if values["temporary"] else _KEEP).run(call.connection, keys=list(keys), **values)
