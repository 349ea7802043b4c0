"""Blocks: drafts to edit, and lists of them to read."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import func, insert, select, update
from sqlmodel import Session

from landyard import Call
from landyard_landing.errors import BlockNotFound
from landyard_landing.policy import POLICY_VERSION, clean_block
from landyard_landing.tables import Block, HistoryEntry

_BLOCK = Block.__table__.c  # type: ignore[attr-defined]
_HISTORY = HistoryEntry.__table__  # type: ignore[attr-defined]

Params = dict[str, dict[str, object]]


class Draft(Struct, frozen=True):
    """A draft block under the hands of a call; its row is locked until the call ends."""

    id: int
    page_id: int
    code: str
    content: str
    params: Params


class ListedBlock(Struct, frozen=True):
    """A block as lists show it."""

    id: int
    page_id: int
    code: str
    active: bool
    anchor: str | None
    created_by: int
    created_at: datetime
    modified_by: int
    modified_at: datetime
    content: str
    policy: int


def find_draft(call: Call, page_id: int, block_id: int) -> Draft:
    """Find and lock a draft block of the page; raises `BlockNotFound` (B2)."""
    query = (
        select(_BLOCK.id, _BLOCK.page_id, _BLOCK.code, _BLOCK.content, _BLOCK.params)
        .where(
            _BLOCK.id == block_id,
            _BLOCK.page_id == page_id,
            _BLOCK.public.is_(False),
            _BLOCK.deleted.is_(False),
        )
        .with_for_update()
    )
    row = call.session.execute(query).first()
    if row is None:
        raise BlockNotFound
    return Draft(*row)


def save_draft(
    call: Call, draft: Draft, content: str, params: Params, *, history: bool = True
) -> None:
    """Write an edited draft, and its entry in the page's history (B14)."""
    now = call.now()
    values: dict[str, Any] = {"modified_at": now, "modified_by": call.actor.user_id}
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name, old, new in (
        ("content", draft.content, content),
        ("params", draft.params, params),
    ):
        if new != old:
            values[name] = new
            before[name], after[name] = old, new
    call.session.execute(update(Block).where(_BLOCK.id == draft.id).values(values))
    if history:
        call.session.execute(
            insert(_HISTORY).values(
                page_id=draft.page_id,
                block_id=draft.id,
                user_id=call.actor.user_id,
                at=now,
                method=call.request.method.lower(),
                before=before,
                after=after,
            )
        )


def stored_draft(call: Call, block_id: int) -> tuple[str, Params]:
    """Read back what is stored of a draft: its HTML and parameters (B15)."""
    row = call.session.execute(
        select(_BLOCK.content, _BLOCK.params).where(_BLOCK.id == block_id)
    ).one()
    return row.content, row.params


def list_blocks(
    session: Session, page_id: int, *, public: bool, deleted: bool, offset: int = 0, limit: int
) -> list[ListedBlock]:
    """List blocks of a page by sort, then id (B3, B4), from `offset`, at most `limit`."""
    query = (
        select(*(_BLOCK[name] for name in ListedBlock.__struct_fields__))
        .where(_BLOCK.page_id == page_id, _BLOCK.public.is_(public), _BLOCK.deleted.is_(deleted))
        .order_by(_BLOCK.sort, _BLOCK.id)
        .offset(offset)
        .limit(limit)
    )
    return [ListedBlock(*row) for row in session.execute(query)]


def count_blocks(
    session: Session, page_ids: list[int], *, public: bool, deleted: bool
) -> dict[int, int]:
    """Count the blocks that `list_blocks` would list, by page; pages without any are left out."""
    query = (
        select(_BLOCK.page_id, func.count())
        .where(_BLOCK.page_id.in_(page_ids), _BLOCK.public.is_(public), _BLOCK.deleted.is_(deleted))
        .group_by(_BLOCK.page_id)
    )
    return dict(session.execute(query).tuples().all())


def safe_content(content: str, policy: int) -> str:
    """Return a block's HTML as the present policy has it (H2); free where it went through."""
    return content if policy == POLICY_VERSION else clean_block(content)
