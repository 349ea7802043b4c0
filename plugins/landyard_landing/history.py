"""The history of a page: one entry for each edit of its draft (B14), which can be taken back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, bindparam, func, insert, select, update

from landyard import Call
from landyard_landing.files import use_files
from landyard_landing.policy import clean_block
from landyard_landing.tables import Block, HistoryEntry, ManifestRow, Page

Params = dict[str, dict[str, object]]

_ENTRY = HistoryEntry.__table__.c  # type: ignore[attr-defined]
_BLOCK = Block.__table__.c  # type: ignore[attr-defined]
_PAGE = Page.__table__.c  # type: ignore[attr-defined]
_TYPE = ManifestRow.__table__.c  # type: ignore[attr-defined]


class Draft(Struct, frozen=True):
    """A draft block under the hands of a call; its row is locked until the call ends.

    `digest` is that of its manifest, see `read_types`.
    """

    id: int
    page_id: int
    code: str
    content: str
    params: Params
    digest: str | None


class Edit(Struct, frozen=True):
    """An entry of the history: `before` and `after` hold what was changed of the block."""

    id: int
    page_id: int
    block_id: int
    user_id: int
    at: datetime
    method: str
    before: dict[str, Any]
    after: dict[str, Any]
    undone: bool


class HistoryConflict(Exception):
    """The block is gone, or was changed outside of the history; nothing was done."""


DRAFTS = (
    select(*(_BLOCK[name] for name in Draft.__struct_fields__[:-1]), _TYPE.digest)
    .join(_TYPE.code.table, _TYPE.code == _BLOCK.code, isouter=True)
    .where(_BLOCK.public.is_(False), _BLOCK.deleted.is_(False))
)
"""The draft blocks that can be edited, each row the parts of a `Draft`."""

_RECORD = insert(_ENTRY.id.table)
_EDITS = select(*(_ENTRY[name] for name in Edit.__struct_fields__)).where(
    _ENTRY.page_id == bindparam("page_id")
)
_ALL = _EDITS.order_by(_ENTRY.id)
_DONE = _EDITS.where(_ENTRY.undone.is_(False)).order_by(_ENTRY.id.desc()).limit(1)
_LAST_DONE = (
    select(func.coalesce(func.max(_ENTRY.id), 0))
    .where(_ENTRY.page_id == bindparam("page_id"), _ENTRY.undone.is_(False))
    .scalar_subquery()
)
_UNDONE = (
    _EDITS.where(_ENTRY.undone.is_(True), _ENTRY.discarded.is_(False), _ENTRY.id > _LAST_DONE)
    .order_by(_ENTRY.id)
    .limit(1)
)
# The page first, so that who undoes and redoes takes turns, then its drafts, in the order of
# publication: edits under way have entered the history by the time it is read.
_LOCKS = (
    select(_PAGE.id).where(_PAGE.id == bindparam("page_id")).with_for_update(key_share=True),
    select(_BLOCK.id)
    .where(_BLOCK.page_id == bindparam("page_id"), _BLOCK.public.is_(False))
    .order_by(_BLOCK.id)
    .with_for_update(),
)
_HELD = select(_BLOCK.content, _BLOCK.params, _BLOCK.policy).where(
    _BLOCK.id == bindparam("block_id"),
    _BLOCK.page_id == bindparam("page_id"),
    _BLOCK.public.is_(False),
    _BLOCK.deleted.is_(False),
)
_MARK = (
    update(_ENTRY.id.table)
    .where(_ENTRY.id == bindparam("entry_id"))
    .values(undone=bindparam("taken_back"))
)
_DISCARD = (
    update(_ENTRY.id.table)
    .where(
        _ENTRY.page_id == bindparam("of_page"),
        _ENTRY.id < bindparam("entry_id"),
        _ENTRY.undone.is_(True),
        _ENTRY.discarded.is_(False),
    )
    .values(discarded=True)
)


def record(call: Call, before: Draft, after: Mapping[str, object], at: datetime) -> None:
    """Enter what an edit changed of a draft: who, when, by which method, from what, to what."""
    changed = [name for name, value in after.items() if value != getattr(before, name)]
    call.connection.execute(
        _RECORD,
        {
            "page_id": before.page_id,
            "block_id": before.id,
            "user_id": call.actor.user_id,
            "at": at,
            "method": call.method,
            "before": {name: getattr(before, name) for name in changed},
            "after": {name: after[name] for name in changed},
        },
    )


def list_edits(connection: Connection, page_id: int) -> list[Edit]:
    """List the edits of a page's draft, the oldest first."""
    return _read(connection, _ALL, page_id)


def undo(connection: Connection, page_id: int, now: datetime, user_id: int) -> Edit | None:
    """Take back the last edit of the page's draft that is not taken back yet, and answer it.

    None when there is none. Raises `HistoryConflict` where that would lose what was written
    outside of the history.
    """
    _lock(connection, page_id)
    for edit in _read(connection, _DONE, page_id):
        _put(connection, edit, edit.after, edit.before, _signed(now, user_id))
        connection.execute(_MARK, {"entry_id": edit.id, "taken_back": True})
        # What had been taken back before this edit was made belongs to a past that is no more.
        connection.execute(_DISCARD, {"of_page": page_id, "entry_id": edit.id})
        return edit
    return None


def redo(connection: Connection, page_id: int, now: datetime, user_id: int) -> Edit | None:
    """Bring back the edit that was taken back last, unless a newer one was made, and answer it.

    None when there is none. Raises `HistoryConflict` as `undo` does.
    """
    _lock(connection, page_id)
    for edit in _read(connection, _UNDONE, page_id):
        _put(connection, edit, edit.before, edit.after, _signed(now, user_id))
        connection.execute(_MARK, {"entry_id": edit.id, "taken_back": False})
        return edit
    return None


def _lock(connection: Connection, page_id: int) -> None:
    for lock in _LOCKS:
        connection.execute(lock, {"page_id": page_id}).all()


def _read(connection: Connection, query: Select[Any], page_id: int) -> list[Edit]:
    return [Edit(*row) for row in connection.execute(query, {"page_id": page_id})]


def _signed(now: datetime, user_id: int) -> Mapping[str, Any]:
    return {"modified_at": now, "modified_by": user_id}


def _put(
    connection: Connection,
    edit: Edit,
    there: Mapping[str, Any],
    wanted: Mapping[str, Any],
    signed: Mapping[str, Any],
) -> None:
    """Write the `wanted` values of the edit's block, if it holds what should be `there`."""
    named = {"block_id": edit.block_id, "page_id": edit.page_id}
    held = connection.execute(_HELD, named).first()
    if held is None:
        raise HistoryConflict(f"block {edit.block_id} is gone")
    if any(getattr(held, name) != value for name, value in there.items()):
        raise HistoryConflict(f"block {edit.block_id} was changed outside of the history")
    use_files(connection, str(wanted), str(there))
    values = {**wanted, **signed}
    if "content" in wanted and clean_block(wanted["content"]) != wanted["content"]:
        # It dates from an older policy than the block's, and is cleaned where it is read (H2).
        values["policy"] = 0
    connection.execute(update(_BLOCK.id.table).where(_BLOCK.id == edit.block_id).values(values))
