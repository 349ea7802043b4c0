"""Publishes a page: copies its draft blocks to the ones that visitors see."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update
from sqlmodel import Session

from landyard_landing.tables import BLOCK, PAGE, Block, Page

_COPIED = ("code", "content", "policy", "sort", "active", "anchor", "params")
_WRITTEN = (*_COPIED, "modified_at", "modified_by")

# Each is run once for all blocks of a page.
_ADD = insert(BLOCK.id.table)
_RENEW = (
    update(BLOCK.id.table)
    .where(BLOCK.id == bindparam("copy_id"))
    .values({name: bindparam(name) for name in _WRITTEN})
)


class NotPublishable(Exception):
    """The page is not there, or is in the trash."""


def publish(session: Session, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Copy the page's draft to its published blocks and show it (B1).

    A published block keeps its id as long as its draft lives. Raises `NotPublishable`.
    """
    _lock(session, page_id)
    drafts = _rows(session, page_id, public=False)
    copies = _rows(session, page_id, public=True)
    copy_of = {copy.draft_id: copy.id for copy in copies}
    signed = {"modified_at": now, "modified_by": user_id}
    made = {"page_id": page_id, "public": True, "created_at": now, "created_by": user_id}
    added: list[dict[str, Any]] = []
    renewed: list[dict[str, Any]] = []
    for draft in drafts:
        values = {name: getattr(draft, name) for name in _COPIED} | signed
        if draft.id in copy_of:
            renewed.append({**values, "copy_id": copy_of[draft.id]})
        else:
            added.append({**values, **made, "draft_id": draft.id})
    for statement, rows in ((_RENEW, renewed), (_ADD, added)):
        if rows:
            session.execute(statement, rows)
    alive = {draft.id for draft in drafts}
    gone = [copy.id for copy in copies if copy.draft_id not in alive]
    session.execute(delete(Block).where(BLOCK.id.in_(gone)))
    _show(session, page_id, {"published": True, "active": True, "date_public": now} | signed)


def unpublish(session: Session, page_id: int, now: datetime, user_id: int = 0) -> None:
    """Hide the page; its published blocks stay (B17). Raises `NotPublishable`."""
    _lock(session, page_id)
    _show(session, page_id, {"active": False, "modified_at": now, "modified_by": user_id})


def _lock(session: Session, page_id: int) -> None:
    page = session.execute(
        select(PAGE.id)
        .where(PAGE.id == page_id, PAGE.deleted.is_(False))
        .with_for_update(key_share=True)
    )
    if page.first() is None:
        raise NotPublishable(f"there is no page {page_id} outside the trash")


def _rows(session: Session, page_id: int, *, public: bool) -> list[Any]:
    query = select(*BLOCK).where(
        BLOCK.page_id == page_id, BLOCK.public.is_(public), BLOCK.deleted.is_(False)
    )
    # Locked, so that an edit under way is either wholly in the copy or wholly in the next one.
    return list(session.execute(query.order_by(BLOCK.id).with_for_update()))


def _show(session: Session, page_id: int, values: dict[str, Any]) -> None:
    session.execute(update(Page).where(PAGE.id == page_id).values(values))
