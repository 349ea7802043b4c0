"""Restores a draft block from an entry of the history, as before or after the edit (B14)."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from landyard_content.blocks.order import Order
from landyard_content.files.records import use_files
from landyard_html.policy import clean_block
from landyard_landing.tables import BLOCK

_HELD = select(*BLOCK).where(BLOCK.id == bindparam("block_id"))
_BLOCK = BLOCK.id.table
_WHOLE, _PLACE = "block", "after"
_NOT_COMPARED = frozenset({_PLACE, "policy"})  # keys of an entry that are not compared with columns


class HistoryConflict(Exception):
    """The block no longer exists, or was changed outside of the history; nothing was written."""


class Restoring:
    """Restores one block of a page's draft, signed with a moment and a user."""

    def __init__(
        self, connection: Connection, page_id: int, block_id: int, signed: tuple[datetime, int]
    ) -> None:
        """Read the block's present row; `signed` are the moment and the user of the change."""
        self._connection = connection
        self._page_id = page_id
        self._block_id = block_id
        self._signed = {"modified_at": signed[0], "modified_by": signed[1]}
        row = connection.execute(_HELD, {"block_id": block_id}).mappings().first()
        in_draft = row is not None and row["page_id"] == page_id and not row["public"]
        self._held = dict(row) if row is not None and in_draft else None
        self._exists = row is not None

    def write(self, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        """Replace the values `there` by those `wanted`; raises `HistoryConflict`.

        Both have the keys of an entry, see `Edit`. `there` must be the block's present values.
        """
        if _WHOLE in there and there[_WHOLE] is None:
            self._add(wanted)
            return
        self._check(there)
        use_files(self._connection, str(dict(wanted)), str(dict(there)))
        if _WHOLE in wanted:
            self._connection.execute(delete(_BLOCK).where(BLOCK.id == self._block_id))
        else:
            self._change(wanted)

    def _add(self, wanted: Mapping[str, Any]) -> None:
        if self._exists:
            raise HistoryConflict(f"block {self._block_id} exists already")
        use_files(self._connection, str(dict(wanted)))
        signed = self._signed
        whole = {
            **wanted[_WHOLE],
            "id": self._block_id,
            "page_id": self._page_id,
            "public": False,
            "sort": self._room_behind(wanted[_PLACE]),
            "created_at": signed["modified_at"],
            "created_by": signed["modified_by"],
            **signed,
        }
        self._connection.execute(insert(_BLOCK).values(whole))

    def _change(self, wanted: Mapping[str, Any]) -> None:
        values = {**wanted, **self._signed}
        if _PLACE in wanted:
            values["sort"] = self._room_behind(values.pop(_PLACE))
        if "content" in wanted and clean_block(wanted["content"]) != wanted["content"]:
            # The HTML passed an older policy only; policy 0 has it cleaned when it is read (H2).
            values["policy"] = 0
        self._connection.execute(update(_BLOCK).where(BLOCK.id == self._block_id).values(values))

    def _room_behind(self, block_id: int) -> int:
        """Return the sort that puts this block behind `block_id`, or first for 0."""
        others = Order.read(self._connection, self._page_id).without(self._block_id)
        before = others.index_of(block_id) if block_id else -1
        if before is None:
            raise HistoryConflict(f"block {block_id}, formerly in front of it, is gone")
        return others.make_room(self._connection, before + 1)

    def _check(self, there: Mapping[str, Any]) -> None:
        """Require the block to be as the entry has it: other changes would be lost."""
        if how := differs(self._held, there.get(_WHOLE, there), self._stands_behind):
            raise HistoryConflict(f"block {self._block_id} {how}")

    def _stands_behind(self) -> int | None:
        order = Order.read(self._connection, self._page_id)
        here = order.index_of(self._block_id)
        return None if here is None else order.id_before(here)


def differs(
    held: Mapping[str, Any] | None,
    columns: Mapping[str, Any],
    stands_behind: Callable[[], int | None],
) -> str:
    """Describe how a block differs from an entry's values, for an error text; "" for no way."""
    if held is None or (held["deleted"] and "deleted" not in columns):
        return "is gone"
    if any(held[name] != value for name, value in columns.items() if name not in _NOT_COMPARED):
        return "was changed outside of the history"
    if _PLACE in columns and stands_behind() != columns[_PLACE]:
        return "was moved outside of the history"
    return ""
