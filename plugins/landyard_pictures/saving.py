"""Saves a file that a caller uploads for a block: first its bytes, then its row (U7)."""

import secrets

from msgspec import Struct
from sqlalchemy import bindparam, insert, or_, select

from landyard import Call, OutcomeUnknown, Prepared, Settings, one_of
from landyard_content import files
from landyard_landing import errors, tables
from landyard_landing.rights import Right, may, rights_of, site_types, visible, with_rights

_NOT_THERE = "There is no such block, or it is not yours to edit."
_FIND_TARGET = with_rights(
    select(
        tables.BLOCK.page_id,
        or_(tables.PAGE.deleted, tables.SITE.deleted).label("trashed"),
        tables.SITE.type.label("type"),
    )
    .select_from(tables.BLOCK.id.table)
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.BLOCK.id == bindparam("block_id")),
    tables.PAGE.site_id,
)
_TARGET = Prepared(_FIND_TARGET)
_NEW = ("key", "name", "type", "size", "temporary", "created_at", "created_by")
# Erasing a page locks its blocks first: it then sees the new file, or the upload finds no block.
_ADD = Prepared(
    insert(tables.FILE.id.table)
    .from_select(
        [*_NEW, "page_id", "block_id"],
        _FIND_TARGET.with_only_columns(
            *(bindparam(f"new_{name}", type_=tables.FILE[name].type) for name in _NEW),
            tables.BLOCK.page_id,
            tables.BLOCK.id,
        )
        .where(
            ~tables.PAGE.deleted,
            ~tables.SITE.deleted,
            one_of(tables.SITE.type, "site_types"),
            may(Right.EDIT.value),
        )
        .with_for_update(read=True, key_share=True, of=tables.BLOCK.id.table),
    )
    .returning(tables.FILE.id, tables.FILE.page_id)
)


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
    call.subject = f"block:{block_id}"
    row = _TARGET.first(call.connection, block_id=block_id, user_id=call.actor.user_id)
    if row is None:
        raise errors.BlockNotFound(_NOT_THERE)
    page_id, is_trashed, site_type, *rights = row
    call.subject = f"page:{page_id}"
    may_edit = Right.EDIT in rights_of(call.actor, *rights)
    if is_trashed or not visible(site_type, scope) or not may_edit:
        raise errors.BlockNotFound(_NOT_THERE)
    return int(page_id)


def save_file(call: Call, block_id: int, scope: str | None, new: NewFile) -> KeptFile:
    """Save a file for a block: first its bytes, then its row in a transaction of its own.

    Raises `OSError`, and `BlockNotFound` if the block or the right were removed meanwhile.
    """
    store = files.file_store(call.settings(Settings))
    key = secrets.token_hex(16)
    store.save(key, new.name, new.content)
    try:
        file_id = call.transaction(
            lambda inner: _add(inner, key, new, block_id, scope), writes=True
        )
    except OutcomeUnknown:  # the file stays pending: a job checks later whether it has a row
        raise
    except BaseException:
        store.remove(key, new.name)
        raise
    store.confirm(key)
    return KeptFile(file_id, f"/files/{key}/{new.name}")


def _add(call: Call, key: str, new: NewFile, block_id: int, scope: str | None) -> int:
    """Add the row of a file for a block that the caller may still upload to."""
    added = _ADD.first(
        call.connection,
        new_key=key,
        new_name=new.name,
        new_type=files.FILE_TYPES[new.name.rpartition(".")[2]],
        new_size=len(new.content),
        new_temporary=new.temporary,
        new_created_at=call.now(),
        new_created_by=call.actor.user_id,
        block_id=block_id,
        user_id=call.actor.user_id,
        is_admin=call.actor.admin,
        site_types=site_types(scope),
    )
    if added is None:
        raise errors.BlockNotFound(_NOT_THERE)
    file_id, page_id = added
    call.subject = f"page:{page_id}"
    return int(file_id)
