"""What `copyblock` and `moveblock` share: where the block goes, and what is answered."""

from collections.abc import Sequence

from msgspec import Struct, field

from landyard import Id, NeededId
from landyard_editing.shown import ShownBlock
from landyard_landing import Ordered, index_of


class Placing(Struct, frozen=True):
    """`AFTER_ID`: the block to stand behind; `RETURN_CONTENT`: `Y` answers the block as well."""

    after_id: Id = field(name="AFTER_ID", default=0)
    return_content: bool = field(name="RETURN_CONTENT", default=False)


class ToPage(Struct, frozen=True):
    """`lid`: the page that gets the block; `block`: the block's id."""

    page_id: NeededId = field(name="lid")
    block_id: Id = field(name="block")
    params: Placing = Placing()
    scope: str | None = None


class Placed(Struct, frozen=True):
    """What is answered with `RETURN_CONTENT`."""

    result: bool
    content: ShownBlock


def index_behind(order: Sequence[Ordered], after_id: int) -> int:
    """Return the place behind a block; behind all where there is no such one."""
    after = index_of(order, after_id)
    return len(order) if after is None else after + 1
