"""Adds, removes, moves and changes draft blocks, each with an entry in the history (B14).

An entry has these keys: `block` holds the whole block, None where the block does not exist; `after`
is the id of the block in front, 0 for the first place; any other key is a column.
"""

import functools
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict, replace
from sqlalchemy import bindparam, delete, insert, select, update

from landyard import Call, Prepared
from landyard_blocks.freeing import free_files
from landyard_content import blocks, files
from landyard_html.embeds import without_refused
from landyard_landing import authorship, errors, events, rights, tables

_WHOLE = tuple(tables.BLOCK[name] for name in blocks.BlockParts.__struct_fields__)
_THIS = select(*_WHOLE).where(
    tables.BLOCK.id == bindparam("block_id"),
    tables.BLOCK.page_id == bindparam("page_id"),
    tables.BLOCK.public.is_(False),
)
_READ = Prepared(_THIS, blocks.BlockParts)
_HOLD = Prepared(_THIS.with_for_update(), blocks.BlockParts)
_COPIED = Prepared(
    select(tables.BLOCK.page_id, tables.BLOCK.public, *_WHOLE).where(
        tables.BLOCK.id == bindparam("block_id"), tables.BLOCK.deleted.is_(False)
    )
)
_ADD = Prepared(insert(tables.BLOCK.id.table).returning(tables.BLOCK.id), int)
_REMOVE = Prepared(delete(tables.BLOCK.id.table).where(tables.BLOCK.id == bindparam("block_id")))


def hold_block(
    call: Call, page_id: int, block_id: int, scope: str | None, *, marked: bool = False
) -> blocks.BlockParts:
    """Find a draft block that the caller may edit, and lock it; `marked` includes deleted blocks.

    Raises `LandingNotExist`, `BlockNotFound` and `AccessDenied`, in this order.
    """
    page = rights.find_page(call, page_id, scope)
    query = _HOLD if rights.Right.EDIT in page.rights else _READ
    parts = query.first(call.connection, block_id=block_id, page_id=page_id)
    if parts is None or (parts.deleted and not marked):
        raise errors.BlockNotFound
    page.require(rights.Right.EDIT)
    return parts


def find_block(
    call: Call, block_id: int, scope: str | None, *, drafts: bool = False
) -> tuple[rights.ViewedPage, blocks.BlockParts]:
    """Find a block, draft or published, on any page that the caller sees; `drafts`: drafts only.

    Raises `BlockNotFound`.
    """
    row = _COPIED.first(call.connection, block_id=block_id)
    if row is None or (drafts and row[1]):
        raise errors.BlockNotFound
    try:
        return rights.find_page(call, row[0], scope), blocks.BlockParts(*row[2:])
    except errors.LandingNotExist:
        raise errors.BlockNotFound from None


def add_block(
    call: Call,
    page_id: int,
    parts: blocks.BlockParts,
    *,
    behind: int = 0,
    or_last: bool = False,
    history: bool = True,
) -> int:
    """Add a block to the draft of a page that the call has locked; return its id.

    The block goes behind the block `behind`. Where the draft has no such block, it goes to the
    first place, or to the last with `or_last`. Raises `TooLarge`.
    """
    content = without_refused(parts.content, lambda: blocks.rules_for(call))
    parts = replace(parts, content=content)
    blocks.require_block(call, content, parts.params)
    blocks.require_block_place(call, page_id, len(content))
    sort, after_id = blocks.room_behind(call.connection, page_id, behind, or_last=or_last)
    files.use_files(call.connection, f"{parts.content}{parts.params}")
    values = {
        **asdict(parts),
        "page_id": page_id,
        "public": False,
        "draft_id": None,
        "sort": sort,
        "created_at": call.now(),
        "created_by": call.actor.user_id,
        **authorship.changed_by(call),
    }
    block_id = _ADD.first(call.connection, **values)
    assert block_id is not None
    after = {"block": asdict(parts), "after": after_id}
    _end(call, page_id, block_id, {"block": None}, after, history=history)
    return block_id


def remove_block(call: Call, page_id: int, order: blocks.Order, block_id: int) -> None:
    """Remove a block of a page's draft; its published copy goes with the next publication.

    Its files become temporary, and are removed later unless something else uses them.
    """
    parts = _HOLD.first(call.connection, block_id=block_id, page_id=page_id)
    assert parts is not None
    _REMOVE.run(call.connection, block_id=block_id)
    free_files(call, page_id, [block_id])
    _end(call, page_id, block_id, _standing(order, block_id, parts), {"block": None})


def carry_block(
    call: Call,
    block_id: int,
    source: tuple[int, blocks.Order],
    target: tuple[int, blocks.Order],
    index: int,
) -> None:
    """Move a block from the draft of one page to the draft of another; it keeps its id.

    `source` and `target` are a page's id with the order of its draft. Both histories get an entry.
    """
    (from_id, order), (to_id, others) = source, target
    parts = _HOLD.first(call.connection, block_id=block_id, page_id=from_id)
    assert parts is not None
    blocks.require_block_place(call, to_id, len(parts.content))
    values = {"page_id": to_id, "sort": others.make_room(call.connection, index)}
    _changing(*values).run(
        call.connection, block_id=block_id, **values, **authorship.changed_by(call)
    )
    _end(call, from_id, block_id, _standing(order, block_id, parts), {"block": None})
    after = {"block": asdict(parts), "after": others.id_before(index)}
    _end(call, to_id, block_id, {"block": None}, after)


def move_block(
    call: Call,
    page_id: int,
    order: blocks.Order,
    block_id: int,
    index: int,
    *,
    history: bool = True,
) -> None:
    """Move a block within its page's draft: to `index` of the order without the block."""
    here = order.index_of(block_id)
    assert here is not None
    others = order.without(block_id)
    sort = order[here].sort if here == index else others.make_room(call.connection, index)
    _changing("sort").run(
        call.connection, block_id=block_id, sort=sort, **authorship.changed_by(call)
    )
    before, after = {"after": order.id_before(here)}, {"after": others.id_before(index)}
    _end(call, page_id, block_id, before, after, history=history)


def change_block(
    call: Call,
    page_id: int,
    block_id: int,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    history: bool = True,
) -> None:
    """Write columns of a draft block, such as `active`; `before` has their former values."""
    _changing(*sorted(after)).run(
        call.connection, block_id=block_id, **after, **authorship.changed_by(call)
    )
    _end(call, page_id, block_id, before, after, history=history)


def _standing(order: blocks.Order, block_id: int, parts: blocks.BlockParts) -> dict[str, Any]:
    index = order.index_of(block_id)
    assert index is not None
    return {"block": asdict(parts), "after": order.id_before(index)}


def _end(
    call: Call,
    page_id: int,
    block_id: int,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    history: bool = True,
) -> None:
    """Enter the change in the page's history, and announce it as `BlockEdited`."""
    if history:
        blocks.enter_edit(call, page_id, block_id, before, after)
    events.announce_edit(call, page_id, block_id)


@functools.lru_cache(maxsize=64)
def _changing(*columns: str) -> Prepared[Any]:  # noqa: ARG001 - each has its own text
    """Prepare the statement that updates these columns of a block, with its signature."""
    return Prepared(update(tables.BLOCK.id.table).where(tables.BLOCK.id == bindparam("block_id")))
