"""Rehearsal: what taking back and redoing the edits of a page would come to, without writing.

All that is needed is read at once. To try it in the database takes seconds for a hundred edits,
while others wait for the page's blocks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, select

from landyard import Prepared, one_of
from landyard_landing.blocks.changes import BlockParts
from landyard_landing.blocks.history import Edit
from landyard_landing.blocks.restoring import HistoryConflict, differs
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK

MOST = 100  # edits that are tried: older ones are as true as they were
_DRAFT = Prepared(
    select(BLOCK.id, *(BLOCK[name] for name in BlockParts.__struct_fields__))
    .where(BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False))
    .order_by(BLOCK.sort, BLOCK.id)
)
_OF_PAGE = HISTORY.page_id == bindparam("page_id")
_COLUMNS = [HISTORY[name] for name in Edit.__struct_fields__]
_DONE = Prepared(
    select(*_COLUMNS)
    .where(_OF_PAGE, HISTORY.undone.is_(False))
    .order_by(HISTORY.id.desc())
    .limit(MOST),
    Edit.of,
)
_UNDONE = Prepared(
    select(*_COLUMNS)
    .where(
        *(_OF_PAGE, HISTORY.undone.is_(True), HISTORY.discarded.is_(False)),
        HISTORY.id > bindparam("oldest"),
    )
    .order_by(HISTORY.id),
    Edit.of,
)
_TAKEN = Prepared(select(BLOCK.id).where(one_of(BLOCK.id, "ids")), int)

Draft = Mapping[int, BlockParts]
"""The blocks of a page's draft, in their order."""


def read_draft(connection: Connection, page_id: int) -> Draft:
    """Read the blocks of a page's draft."""
    found = _DRAFT.all(connection, page_id=page_id)
    return {block_id: BlockParts(*parts) for block_id, *parts in found}


class History:
    """The last edits of a page, and its draft, as they are in the database."""

    def __init__(self, connection: Connection, page_id: int) -> None:
        """Read them."""
        self.draft = read_draft(connection, page_id)
        self.done = _DONE.all(connection, page_id=page_id)  # the latest first
        oldest = self.done[-1].id if len(self.done) == MOST else 0
        self.undone = _UNDONE.all(connection, page_id=page_id, oldest=oldest)
        told = {edit.block_id for edit in (*self.done, *self.undone)}
        self.elsewhere = {*_TAKEN.all(connection, ids=sorted(told))} - self.draft.keys()

    def rehearse(self) -> "Rehearsal":
        """Begin to try."""
        return Rehearsal(self)


class Rehearsal:
    """A draft while edits are taken back, the last one first, and brought again."""

    def __init__(self, history: History) -> None:
        """Begin with the draft and the history as they are."""
        self._blocks = {each: asdict(parts) for each, parts in history.draft.items()}
        self._elsewhere = history.elsewhere
        self.order = [*history.draft]
        self._done: list[Edit] = history.done[::-1]
        self._undone: list[Edit] = [*history.undone]

    @property
    def last(self) -> int:
        """The id of the last edit that is not taken back; 0 where there is none."""
        return self._done[-1].id if self._done else 0

    def undo(self) -> Edit | None:
        """Take back the last edit, as `history.undo` does; raises `HistoryConflict`."""
        if not self._done:
            return None
        edit = self._done[-1]
        self._write(edit.block_id, edit.after, edit.before)
        self._done.pop()
        self._undone = [edit, *(each for each in self._undone if each.id > edit.id)]
        return edit

    def redo(self) -> Edit | None:
        """Bring back the edit that was taken back last, as `history.redo` does."""
        following = [each for each in self._undone if each.id > self.last]
        if not following:
            return None
        edit = following[0]
        self._write(edit.block_id, edit.before, edit.after)
        self._undone.remove(edit)
        self._done.append(edit)
        return edit

    def _write(self, block_id: int, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        held = self._blocks.get(block_id)
        if "block" in there and there["block"] is None:
            if held is not None or block_id in self._elsewhere:
                raise HistoryConflict
            at = self._room_behind(block_id, wanted["after"])
            self._blocks[block_id] = {**asdict(BlockParts("", "")), **wanted["block"]}
            self.order.insert(at, block_id)
            return
        if differs(held, there.get("block", there), lambda: self._behind(block_id)):
            raise HistoryConflict
        assert held is not None
        if "block" in wanted:
            self.order.remove(block_id)
            del self._blocks[block_id]
            return
        if "after" in wanted:
            at = self._room_behind(block_id, wanted["after"])
            self.order.remove(block_id)
            self.order.insert(at, block_id)
        changed = {name: value for name, value in wanted.items() if name != "after"}
        self._blocks[block_id] = held | changed

    def _room_behind(self, block_id: int, before: int) -> int:
        """Return where a block stands behind another one among the others."""
        others = [each for each in self.order if each != block_id]
        if before and before not in others:
            raise HistoryConflict
        return others.index(before) + 1 if before else 0

    def _behind(self, block_id: int) -> int | None:
        return behind(self.order, block_id) if block_id in self.order else None


def behind(order: Sequence[int], block_id: int) -> int:
    """Return the block that a block stands behind, 0 for the first."""
    index = order.index(block_id)
    return order[index - 1] if index else 0
