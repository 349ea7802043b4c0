"""The parameters and the answer that `copyblock` and `moveblock` share."""

from msgspec import Struct, field

from landyard import Id, NeededId
from landyard_blocks.block_view import ShownBlock
from landyard_content import blocks


class Placing(Struct, frozen=True):
    """`AFTER_ID`: the block to follow; `RETURN_CONTENT`: `Y` answers the block, too."""

    after_id: Id = field(name="AFTER_ID", default=0)
    return_content: bool = field(name="RETURN_CONTENT", default=False)


class ToPage(Struct, frozen=True):
    """`lid`: the target page; `block`: the block's id."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    params: Placing = Placing()
    scope: str | None = None


class Placed(Struct, frozen=True):
    """The answer with `RETURN_CONTENT`."""

    result: bool
    content: ShownBlock


def index_behind(order: blocks.Order, after_id: int) -> int:
    """Return the index after a block; the end if the block is not there."""
    after = order.index_of(after_id)
    return len(order) if after is None else after + 1
