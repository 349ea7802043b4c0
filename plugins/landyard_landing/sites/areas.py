"""Marks pages as areas of frames, and removes pages from frames when they leave their site."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, exists, or_, select, update

from landyard import Prepared, one_of
from landyard_landing.site_tables import AREA
from landyard_landing.tables import PAGE

_IS_AREA = exists().where(AREA.page_id == PAGE.id)
_MARK = Prepared(
    update(PAGE.id.table)
    .where(one_of(PAGE.id, "page_ids"), PAGE.area != _IS_AREA)
    .values(area=_IS_AREA)
)
_IN_FRAMES = or_(one_of(AREA.page_id, "page_ids"), one_of(AREA.framed_id, "page_ids"))
_LIST = Prepared(select(AREA.page_id).where(_IN_FRAMES).distinct().order_by(AREA.page_id), int)
_LEAVE = Prepared(delete(AREA.id.table).where(_IN_FRAMES))


def mark_areas(connection: Connection, page_ids: Sequence[int]) -> None:
    """Set `area` of pages: true as long as any frame shows the page in an area."""
    _MARK.run(connection, page_ids=list(page_ids))


def leave_areas(connection: Connection, page_ids: Sequence[int]) -> None:
    """Remove pages from all frames, and the areas from these pages' own frames.

    Called for pages that leave their site: a frame shows pages of its own site only.
    """
    these = list(page_ids)
    if areas := _LIST.all(connection, page_ids=these):
        _LEAVE.run(connection, page_ids=these)
        mark_areas(connection, areas)
