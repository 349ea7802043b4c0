"""The order of a page's draft blocks, kept in `sort` by steps of 500 and locked for changes."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Self

from msgspec import Struct
from sqlalchemy import Connection, bindparam, select, tuple_, update

from landyard import Prepared
from landyard_landing.tables import BLOCK

STEP = 500
_FARTHEST = 2**30  # larger sorts come near the limit of the column


class Ordered(Struct, frozen=True):
    """A draft block in the order; a block that is marked deleted keeps its place."""

    id: int
    sort: int
    deleted: bool


_DRAFTS = select(*(BLOCK[name] for name in Ordered.__struct_fields__)).where(
    BLOCK.page_id == bindparam("page_id"), BLOCK.public.is_(False)
)
_IN_ORDER = _DRAFTS.order_by(BLOCK.sort, BLOCK.id)
_READ = Prepared(_IN_ORDER, Ordered)
_ONE = Prepared(_DRAFTS.where(BLOCK.id == bindparam("block_id")), Ordered)
_FIRST = Prepared(_IN_ORDER.limit(1), Ordered)
_LAST = Prepared(_DRAFTS.order_by(BLOCK.sort.desc(), BLOCK.id.desc()).limit(1), Ordered)
_NEXT = Prepared(
    _IN_ORDER.where(
        tuple_(BLOCK.sort, BLOCK.id) > tuple_(bindparam("sort"), bindparam("block_id"))
    ).limit(1),
    Ordered,
)
_PUT = Prepared(update(BLOCK.id.table).where(BLOCK.id == bindparam("block_id")))


class Order(tuple[Ordered, ...]):
    """The draft blocks of a page, in order."""

    __slots__ = ()

    @classmethod
    def read(cls, connection: Connection, page_id: int) -> Self:
        """Read the order of a page's drafts."""
        return cls(_READ.all(connection, page_id=page_id))

    def without(self, block_id: int) -> Self:
        """Return the order of the other blocks."""
        return type(self)(block for block in self if block.id != block_id)

    def index_of(self, block_id: int) -> int | None:
        """Return a block's index in the order; None where the order does not have it."""
        return next((at for at, block in enumerate(self) if block.id == block_id), None)

    def id_before(self, index: int) -> int:
        """Return the id of the block in front of `index`; 0 for the first place."""
        return self[index - 1].id if index else 0

    def make_room(self, connection: Connection, index: int) -> int:
        """Return the sort of a block to be placed at `index`; move others where there is no gap."""
        sort, moved = _room(self, index)
        _PUT.run_each(connection, [{"block_id": key, "sort": to} for key, to in moved.items()])
        return sort


def room_behind(
    connection: Connection, page_id: int, block_id: int, *, or_last: bool = False
) -> tuple[int, int]:
    """Return the sort of a new block behind `block_id`, and the id of the block in front.

    Where the page has no block `block_id`, the new block goes to the first place, with 0 in front,
    or to the last with `or_last`. At most two blocks are read, and the whole order only where there
    is no gap and other blocks have to move.
    """
    one = _ONE.first(connection, page_id=page_id, block_id=block_id) if block_id else None
    if one is None:
        edge = (_LAST if or_last else _FIRST).first(connection, page_id=page_id)
        order = Order(() if edge is None else (edge,))
        index = len(order) if or_last else 0
    else:
        behind = _NEXT.first(connection, page_id=page_id, sort=one.sort, block_id=one.id)
        order = Order((one,) if behind is None else (one, behind))
        index = 1
    sort, moved = _room(order, index)
    if moved:  # the neighbours alone do not tell which blocks to move
        order = Order.read(connection, page_id)
        index = (order.index_of(one.id) or 0) + 1 if one else len(order) if or_last else 0
        sort = order.make_room(connection, index)
    return sort, order.id_before(index)


def _room(order: Sequence[Ordered], index: int) -> tuple[int, dict[int, int]]:
    """Compute the sort of a block to be placed at `index`, and the new sorts of others by id."""
    sorts = [block.sort for block in order]
    if not sorts:
        return STEP, {}
    if any(one >= other for one, other in pairwise(sorts)) or max(map(abs, sorts)) > _FARTHEST:
        # A world file may have any sorts, even equal ones.
        wanted = [STEP * (at + 1 + (at >= index)) for at in range(len(sorts))]
        found = zip(order, wanted, strict=True)
        return STEP * (index + 1), {block.id: to for block, to in found if block.sort != to}
    if index == len(sorts):
        return sorts[-1] + STEP, {}
    if not index:
        return sorts[0] - STEP, {}
    before, behind = sorts[index - 1], sorts[index]
    down = _pushed(order[index:], before + 2 * STEP, STEP)
    up = _pushed(reversed(order[:index]), behind - 2 * STEP, -STEP)
    return (before + STEP, down) if len(down) <= len(up) else (behind - STEP, up)


def _pushed(blocks: Iterable[Ordered], first: int, step: int) -> dict[int, int]:
    """Compute the new sorts of blocks that have to move, up to the next gap."""
    pushed: dict[int, int] = {}
    for block in blocks:
        if (block.sort - first) * step >= 0:
            break
        pushed[block.id] = first
        first += step
    return pushed
