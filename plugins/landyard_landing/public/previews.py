"""Previews of pages: the picture that others show who link to a page."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from landyard import Prepared, one_of
from landyard_landing.public.metadata import share_picture
from landyard_landing.tables import PAGE

_USUAL = "/assets/pictures/print_harbour.svg"
_FIELDS = Prepared(select(PAGE.id, PAGE.additional_fields).where(one_of(PAGE.id, "page_ids")))


def previews(connection: Connection, page_ids: Collection[int], base: str) -> dict[int, str]:
    """Find the address of each page's picture, `METAOG_IMAGE`, or else that of a usual one."""
    return {
        page_id: share_picture(fields, base) or base + _USUAL
        for page_id, fields in _FIELDS.all(connection, page_ids=list(page_ids))
    }


def site_preview(connection: Connection, main_page_id: int | None, base: str) -> str:
    """Find the address of a site's picture: that of its main page, or else a usual one."""
    found = previews(connection, [main_page_id], base) if main_page_id else {}
    return next(iter(found.values()), base + _USUAL)
