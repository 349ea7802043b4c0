"""Marks files uploaded for removed blocks as temporary; a job later removes the unused (U7).

A released file becomes temporary: it is removed later, unless something uses it by then.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from landyard import Call, Prepared, one_of
from landyard_landing import tables

# In the order of keys, as all calls lock files.
_OF_BLOCKS = (
    select(tables.FILE.key)
    .where(tables.FILE.page_id == bindparam("page_id"), one_of(tables.FILE.block_id, "block_ids"))
    .order_by(tables.FILE.key)
    .with_for_update()
)
_BOUND_TO = Prepared(_OF_BLOCKS, str)
_BOUND_FILE = Prepared(_OF_BLOCKS.where(tables.FILE.id == bindparam("file_id")), str)
_FREE = Prepared(
    update(tables.FILE.id.table)
    .where(one_of(tables.FILE.key, "keys"))
    .values(temporary=True, created_at=bindparam("freed_at"))
)


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
