"""The publication state of pages: published or not, and whether the draft differs from it."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, String, and_, cast, or_, select

from landyard import Prepared, one_of
from landyard_landing import tables

_DRAFTS, _COPIES = tables.BLOCK.id.table.alias(), tables.BLOCK.id.table.alias()
_DRAFT, _COPY = _DRAFTS.c, _COPIES.c
_IS_DRAFT = and_(_DRAFT.public.is_(False), _DRAFT.deleted.is_(False))
_IS_COPY = _COPY.public.is_(True)
_SHOWN = ("content", "code", "sort", "active", "anchor")
_DIFFERS = or_(
    *(_DRAFT[name].is_distinct_from(_COPY[name]) for name in _SHOWN),
    cast(_DRAFT.params, String) != cast(_COPY.params, String),  # PostgreSQL compares no JSON
)
_PUBLISHED = Prepared(
    select(tables.PAGE.id).where(
        one_of(tables.PAGE.id, "page_ids"), tables.PAGE.published.is_(True)
    )
)
_EDITS = (
    select(_DRAFT.page_id)
    .outerjoin(
        _COPIES,
        and_(_COPY.draft_id == _DRAFT.id, _COPY.page_id == _DRAFT.page_id, _IS_COPY),
    )
    .where(_IS_DRAFT, or_(_COPY.id.is_(None), _DIFFERS))
)
_REMOVALS = (
    select(_COPY.page_id)
    .outerjoin(_DRAFTS, and_(_DRAFT.id == _COPY.draft_id, _IS_DRAFT))
    .where(_IS_COPY, _DRAFT.id.is_(None))
)
_ADDED_OR_EDITED = Prepared(_EDITS.where(one_of(_DRAFT.page_id, "page_ids")).distinct())
_REMOVED = Prepared(_REMOVALS.where(one_of(_COPY.page_id, "page_ids")).distinct())

IS_CHANGED: ColumnElement[bool] = and_(
    tables.PAGE.published,
    or_(
        _EDITS.where(_DRAFT.page_id == tables.PAGE.id).correlate(tables.PAGE.id.table).exists(),
        _REMOVALS.where(_COPY.page_id == tables.PAGE.id).correlate(tables.PAGE.id.table).exists(),
    ),
)
"""Whether a page has a published version and the draft's blocks differ from it."""


def read_standing(connection: Connection, page_ids: Sequence[int]) -> dict[int, bool]:
    """Map the id of each published page to whether its draft's blocks differ."""
    published = [row[0] for row in _PUBLISHED.all(connection, page_ids=list(page_ids))]
    queries = (_ADDED_OR_EDITED, _REMOVED) if published else ()
    changed = {row[0] for each in queries for row in each.all(connection, page_ids=published)}
    return {page_id: page_id in changed for page_id in published}
