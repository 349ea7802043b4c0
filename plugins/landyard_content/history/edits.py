"""The history of a page: selects the edits of its draft, undoes and redoes them (B14)."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Select, bindparam, func, select, update

from landyard_content.blocks.splices import whole
from landyard_content.history.restoring import Restoring
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK, PAGE


class Edit(Struct, frozen=True):
    """An entry of the history: `before` and `after` hold what was changed of the block.

    Their keys: `block` holds the whole block, None where the block does not exist; `after` is the
    id of the block in front, 0 for the first place; any other key is a column.
    """

    id: int
    page_id: int
    block_id: int
    user_id: int
    at: datetime
    method: str
    before: dict[str, Any]
    after: dict[str, Any]
    undone: bool

    @classmethod
    def of(cls, *row: Any) -> "Edit":
        """Read an entry from what the columns of these names hold."""
        edit = cls(*row)
        return replace(edit, after=dict(whole(edit.before, edit.after)))


_EDITS = select(*(HISTORY[name] for name in Edit.__struct_fields__)).where(
    HISTORY.page_id == bindparam("page_id")
)
_DONE = _EDITS.where(HISTORY.undone.is_(False)).order_by(HISTORY.id.desc()).limit(1)
_LAST_DONE = (
    select(func.coalesce(func.max(HISTORY.id), 0))
    .where(HISTORY.page_id == bindparam("page_id"), HISTORY.undone.is_(False))
    .scalar_subquery()
)
_UNDONE = (
    _EDITS.where(HISTORY.undone.is_(True), HISTORY.discarded.is_(False), HISTORY.id > _LAST_DONE)
    .order_by(HISTORY.id)
    .limit(1)
)
# The page first, so that who undoes and redoes takes turns, then its drafts, in the order of
# publication: edits under way have entered the history by the time it is read.
_LOCKS = (
    select(PAGE.id).where(PAGE.id == bindparam("page_id")).with_for_update(key_share=True),
    select(BLOCK.id)
    .where(BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False))
    .order_by(BLOCK.id)
    .with_for_update(),
)
_MARK = (
    update(HISTORY.id.table)
    .where(HISTORY.id == bindparam("entry_id"))
    .values(undone=bindparam("taken_back"))
)
_DISCARD = (
    update(HISTORY.id.table)
    .where(
        HISTORY.page_id == bindparam("of_page"),
        HISTORY.id < bindparam("entry_id"),
        HISTORY.undone.is_(True),
        HISTORY.discarded.is_(False),
    )
    .values(discarded=True)
)


def edits_of(page_id: int) -> Select[Any]:
    """Select the edits of a page's draft, the latest first."""
    return _EDITS.order_by(HISTORY.id.desc()).params(page_id=page_id)


def undo(connection: Connection, page_id: int, now: datetime, user_id: int) -> Edit | None:
    """Take back the last edit of the page's draft that is not taken back yet, and answer it.

    None when there is none. Raises `HistoryConflict` where that would lose what was written
    outside of the history.
    """
    lock_page(connection, page_id)
    for edit in _read(connection, _DONE, page_id):
        _put(connection, edit, now, user_id, undone=True)
        # What had been taken back before this edit was made belongs to a past that is no more.
        connection.execute(_DISCARD, {"of_page": page_id, "entry_id": edit.id})
        return edit
    return None


def redo(connection: Connection, page_id: int, now: datetime, user_id: int) -> Edit | None:
    """Bring back the edit that was taken back last, unless a newer one was made, and answer it.

    None when there is none. Raises `HistoryConflict` as `undo` does.
    """
    lock_page(connection, page_id)
    for edit in _read(connection, _UNDONE, page_id):
        _put(connection, edit, now, user_id, undone=False)
        return edit
    return None


def lock_page(connection: Connection, page_id: int) -> None:
    """Let nobody else edit the page's draft until this call ends."""
    for lock in _LOCKS:
        connection.execute(lock, {"page_id": page_id}).all()


def _read(connection: Connection, query: Select[Any], page_id: int) -> list[Edit]:
    return [Edit.of(*row) for row in connection.execute(query, {"page_id": page_id})]


def _put(connection: Connection, edit: Edit, now: datetime, user_id: int, *, undone: bool) -> None:
    """Write the block's values before or after the edit, if it holds the other ones."""
    there, wanted = (edit.after, edit.before) if undone else (edit.before, edit.after)
    Restoring(connection, edit.page_id, edit.block_id, (now, user_id)).write(there, wanted)
    connection.execute(_MARK, {"entry_id": edit.id, "taken_back": undone})
