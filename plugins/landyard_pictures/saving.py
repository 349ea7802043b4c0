"""Saves a file that a caller uploads for a block: first its bytes, then its row (U7)."""

import secrets

from msgspec import Struct
from sqlalchemy import bindparam, insert, select

from landyard import Call, OutcomeUnknown, Prepared
from landyard_content import files
from landyard_landing import errors, rights, tables

_NOT_THERE = "There is no such block, or it is not yours to edit."
# Erasing a page locks its blocks first: it then sees the new file, or the upload finds no block.
_FIND = rights.PageQuery(
    held=select(tables.BLOCK.id)
    .where(tables.BLOCK.id == bindparam("block_id"), tables.BLOCK.page_id == tables.PAGE.id)
    .with_for_update(read=True, key_share=True),
)
_ADD = Prepared(insert(tables.FILE.id.table).returning(tables.FILE.id), int)


class NewFile(Struct, frozen=True):
    """A file to be saved; `name` is safe in paths and headers, and its extension gives the type."""

    name: str
    content: bytes
    temporary: bool = False


class KeptFile(Struct, frozen=True):
    """A saved file; `src` is its path, the same on every domain of the service."""

    id: int
    src: str


def find_target(call: Call, block_id: int, scope: str | None) -> int:
    """Find the page of a block, draft or published, for which the caller may upload files.

    Raises `BlockNotFound`, also where the caller lacks a right (R1 to R6).
    """
    return _page_of(call, block_id, scope)


def _hold_target(call: Call, block_id: int, scope: str | None) -> int:
    """Find the page as `find_target` does, and lock the block."""
    return _page_of(call, block_id, scope, hold_for=rights.Right.EDIT)


def _page_of(
    call: Call, block_id: int, scope: str | None, hold_for: rights.Right | None = None
) -> int:
    try:
        page, held = _FIND.find_of_block(call, block_id, scope, hold_for=hold_for)
        page.require(rights.Right.EDIT)
    except (errors.LandingNotExist, errors.AccessDenied):
        raise errors.BlockNotFound(_NOT_THERE) from None
    if None in held:  # moved or removed meanwhile
        raise errors.BlockNotFound(_NOT_THERE)
    return page.id


def save_file(call: Call, block_id: int, scope: str | None, new: NewFile) -> KeptFile:
    """Save a file for a block: first its bytes, then its row in a transaction of its own.

    Raises `OSError`, `Unavailable`, and `BlockNotFound` if the block or the right were removed
    meanwhile.
    """
    store = files.file_store(call)
    key = secrets.token_hex(16)
    store.save(key, new.name, new.content)
    try:
        file_id = call.transaction(
            lambda inner: _add(inner, key, new, block_id, scope), writes=True
        )
    except OutcomeUnknown:  # the file stays: a job checks later whether it has a row
        raise
    except BaseException:
        store.remove(key, new.name)
        raise
    store.confirm(key)
    return KeptFile(file_id, f"/files/{key}/{new.name}")


def _add(call: Call, key: str, new: NewFile, block_id: int, scope: str | None) -> int:
    """Add the row of a file for a block that the caller may still upload to."""
    page_id = _hold_target(call, block_id, scope)
    file_id = _ADD.first(
        call.connection,
        key=key,
        name=new.name,
        type=files.FILE_TYPES[new.name.rpartition(".")[2]],
        size=len(new.content),
        page_id=page_id,
        block_id=block_id,
        temporary=new.temporary,
        created_at=call.now(),
        created_by=call.actor.user_id,
    )
    assert file_id is not None
    return file_id
