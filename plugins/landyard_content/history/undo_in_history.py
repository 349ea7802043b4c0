"""Enters an undo of calls in the history as an edit, with an entry for each block (B14).

No entry is changed or removed. So the history stays true: each entry begins where the one before
it ended.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import bindparam, case, func, or_, select, update

from landyard import Call, Prepared, one_of
from landyard_content.blocks.block_parts import BlockParts
from landyard_content.blocks.drafts import enter_edit
from landyard_content.blocks.order import Order
from landyard_content.blocks.splices import spliced
from landyard_content.history.edits import lock_page
from landyard_landing.change_tables import HISTORY
from landyard_landing.tables import BLOCK, PAGE
from landyard_undo.rules import Undone

Draft = Mapping[int, BlockParts]
"""The blocks of a page's draft, by their ids, in their order."""
Side = dict[str, Any]
_Entry = tuple[int, Side, Side]
"""A block, and what of it was before and after."""
_GONE: Side = {"block": None}

_COLUMNS = [name for name in BlockParts.__struct_fields__ if name not in ("code", "policy")]
_OF_ENTRIES = Prepared(
    select(HISTORY.page_id, func.min(case((HISTORY.discarded.is_(False), HISTORY.id))))
    .where(one_of(HISTORY.id, "ids"))
    .group_by(HISTORY.page_id)
    .order_by(HISTORY.page_id)
)
_WAS, _BECAME = (side["after"].as_integer() for side in (HISTORY.before, HISTORY.after))
_PLACES = Prepared(
    select(HISTORY.id, HISTORY.block_id, _WAS.label("was"), _BECAME.label("became"), HISTORY.undone)
    .where(
        HISTORY.page_id == bindparam("page_id"),
        HISTORY.id >= bindparam("first"),
        HISTORY.discarded.is_(False),
        or_(_WAS.is_not(None), _BECAME.is_not(None)),
    )
    .order_by(HISTORY.id.desc())
)
_PAGES = Prepared(select(PAGE.id).where(one_of(PAGE.id, "ids")).order_by(PAGE.id), int)
_DRAFT = Prepared(
    select(BLOCK.id, *(BLOCK[name] for name in BlockParts.__struct_fields__))
    .where(BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False))
    .order_by(BLOCK.sort, BLOCK.id)
)
_PUT = Prepared(
    update(BLOCK.id.table).where(BLOCK.id == bindparam("block_id")).values(sort=bindparam("to"))
)


def enter_undo(call: Call, rows: Sequence[Undone], made: Mapping[int, bool]) -> Callable[[], None]:
    """Read drafts before an undo writes `rows`. The answer enters what became of them.

    `made` says of each entry that the undone call has made or changed, by its id, whether the call
    has made it. The pages of these entries alone get new ones: an edit with `preventHistory` has no
    entry, and neither has its undo.
    """
    connection = call.connection
    pages = dict(_OF_ENTRIES.all(connection, ids=[*made])) if made else {}
    changed = [entry_id for entry_id, is_made in made.items() if not is_made]
    for page_id in pages:
        lock_page(connection, page_id)
    drafts = {page_id: _read_draft(call, page_id) for page_id in pages}
    orders = {
        page_id: _order_before(call, page_id, first, changed, drafts[page_id])
        for page_id, first in pages.items()
    }
    placed = {block_id for each in rows for block_id in _placed_block(each)}

    def enter() -> None:
        entries: list[tuple[int, int, Side, Side]] = []
        # A page whose creation was undone is gone, with its history.
        for page_id in _PAGES.all(connection, ids=[*pages]):
            for block_id in orders[page_id]:
                if block_id in placed:
                    _put_between(call, page_id, block_id, orders[page_id])
            then = _read_draft(call, page_id)
            entries += [(page_id, *each) for each in _differences(drafts[page_id], then)]
        # A block leaves one page before it comes to another, as where it was moved.
        for page_id, block_id, before, after in sorted(entries, key=lambda each: each[3] != _GONE):
            enter_edit(call, page_id, block_id, before, spliced(before, after))

    return enter


def _read_draft(call: Call, page_id: int) -> Draft:
    found = _DRAFT.all(call.connection, page_id=page_id)
    return {block_id: BlockParts(*parts) for block_id, *parts in found}


def _placed_block(row: Undone) -> Iterator[int]:
    """Answer the draft block that the undo puts elsewhere, or back on its page."""
    now, then = row.now, row.then
    if row.table != BLOCK.id.table.name or then is None or then["public"]:
        return
    if now is None or any(now[name] != then[name] for name in ("sort", "page_id")):
        yield int(then["id"])


def _order_before(
    call: Call, page_id: int, first: int | None, changed: Collection[int], draft: Draft
) -> list[int]:
    """Go back in the history to the order of blocks before the entry `first`.

    The undone call has taken back or redone the entries `changed`: those that it took back count
    again.
    There is no order where blocks were moved outside of the history, and without `first`.
    """
    if first is None:
        return []
    places = _PLACES.all(call.connection, page_id=page_id, first=first)
    done = [(block_id, was, became) for _, block_id, was, became, undone in places if not undone]
    again = [
        (block_id, became, was)
        for entry_id, block_id, was, became, undone in reversed(places)
        if undone and entry_id in changed
    ]
    order = list(draft)
    for block_id, wanted, there in (*done, *again):
        if there is not None:
            if block_id not in order:
                return []
            order.remove(block_id)
        if wanted is not None:
            if wanted not in (0, *order):
                return []
            order.insert(order.index(wanted) + 1 if wanted else 0, block_id)
    return order


def _put_between(call: Call, page_id: int, block_id: int, wanted: Sequence[int]) -> None:
    """Put a block between those it stood between: other blocks may have other sorts by now."""
    connection = call.connection
    order = Order.read(connection, page_id)
    here = order.index_of(block_id)
    if here is None:
        return
    ids, at = [each.id for each in order], wanted.index(block_id)
    before = next((ids.index(each) for each in reversed(wanted[:at]) if each in ids), -1)
    behind = next((ids.index(each) for each in wanted[at + 1 :] if each in ids), len(ids))
    if not before < here < behind:
        sort = order.without(block_id).make_room(connection, before + (before < here))
        _PUT.run(connection, block_id=block_id, to=sort)


def _differences(draft: Draft, then: Draft) -> Iterator[_Entry]:
    """Write the entries that make one draft another: removals, moves, changes and additions."""
    order, wanted = list(draft), list(then)
    for block_id in [each for each in draft if each not in then]:
        yield block_id, _whole(draft, order, block_id), _GONE
        order.remove(block_id)
    for block_id, *sides in _moves(order, [each for each in wanted if each in draft]):
        before, after = (side | _deleted_mark(draft[block_id]) for side in sides)
        yield block_id, before, after
    for index, block_id in enumerate(wanted):
        if block_id in draft:
            old, new = asdict(draft[block_id]), asdict(then[block_id])
            changed = [name for name in _COLUMNS if old[name] != new[name]]
            if changed:
                before = {name: old[name] for name in changed} | _deleted_mark(draft[block_id])
                after = {name: new[name] for name in changed} | _deleted_mark(then[block_id])
                yield block_id, before, after
        else:
            order.insert(index, block_id)
            yield block_id, _GONE, _whole(then, order, block_id)


def _whole(draft: Draft, order: Sequence[int], block_id: int) -> Side:
    return {"block": asdict(draft[block_id]), "after": _behind(order, block_id)}


def _deleted_mark(block: BlockParts) -> Side:
    """Say of a block that is marked as deleted that it is: else it counts as gone."""
    return {"deleted": True} if block.deleted else {}


def _moves(order: list[int], wanted: list[int]) -> Iterator[_Entry]:
    """Write which blocks are moved, a single one if that is enough, and move them in `order`."""
    alone = next((each for each in wanted if _without(order, each) == _without(wanted, each)), 0)
    for index, block_id in enumerate(wanted):
        if order[index] != block_id and alone in (0, block_id):
            before = {"after": _behind(order, block_id)}
            order.remove(block_id)
            order.insert(index, block_id)
            yield block_id, before, {"after": _behind(order, block_id)}


def _without(order: Sequence[int], block_id: int) -> list[int]:
    return [each for each in order if each != block_id]


def _behind(order: Sequence[int], block_id: int) -> int:
    """Return the block that a block stands behind, 0 for the first."""
    index = order.index(block_id)
    return order[index - 1] if index else 0
