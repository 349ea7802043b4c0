"""Stores and removes block types that calls register, in the same table as those of world files.

A manifest may have `"active": false` in its `block`: blocks of the type stay and can be edited, but
no new ones can be added.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from landyard import Prepared
from landyard_content import blocks
from landyard_landing import tables

_OF_CODE = tables.MANIFEST.code == bindparam("of_code")
_IS_THERE = Prepared(select(tables.MANIFEST.id).where(_OF_CODE), int)
_ADD = Prepared(insert(tables.MANIFEST.id.table))
_SAVE = Prepared(update(tables.MANIFEST.id.table).where(_OF_CODE))
_FORGET = Prepared(delete(tables.MANIFEST.id.table).where(_OF_CODE))
_DRAFTS = Prepared(
    select(tables.BLOCK.page_id, tables.BLOCK.id)
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.BLOCK.page_id)
    .where(
        tables.BLOCK.code == bindparam("of_code"),
        ~tables.BLOCK.public,
        ~tables.BLOCK.deleted,
        ~tables.PAGE.deleted,
    )
    .order_by(tables.BLOCK.page_id, tables.BLOCK.id)
    .limit(bindparam("most"))
)


class NewBlockType(Struct, frozen=True):
    """A block type to be stored; the caller has sanitised its `content`."""

    code: str
    name: str
    manifest: Mapping[str, Any]
    content: str


def is_stored_type(connection: Connection, code: str) -> bool:
    """Tell whether the database has a block type of this code."""
    return _IS_THERE.first(connection, of_code=code) is not None


def store_type(connection: Connection, kind: NewBlockType) -> None:
    """Store a block type, replacing one of the same code; the caller holds a lock for this."""
    row = {
        "code": kind.code,
        "name": kind.name,
        "manifest": dict(kind.manifest),
        "content": kind.content,
        "css": [],
        "js": [],
    }
    row["digest"] = blocks.manifest_digest(row)
    if is_stored_type(connection, kind.code):
        _SAVE.run(connection, of_code=kind.code, **row)
    else:
        _ADD.run(connection, **row)


def forget_type(connection: Connection, code: str) -> None:
    """Remove a block type; its blocks stay on their pages unchanged, and cannot be edited."""
    _FORGET.run(connection, of_code=code)


def drafts_of_type(connection: Connection, code: str, most: int) -> Sequence[tuple[int, int]]:
    """List the draft blocks of a type on pages outside the trash: ids of page and block."""
    return _DRAFTS.all(connection, of_code=code, most=most)
