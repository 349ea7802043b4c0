"""Looks up the preview pictures of pages and sites: the share image, or a default."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from landyard import Prepared, one_of
from landyard_landing import tables
from landyard_public.metadata import share_picture

_USUAL = "/assets/pictures/print_harbour.svg"
_FIELDS = Prepared(
    select(tables.PAGE.id, tables.PAGE.additional_fields).where(one_of(tables.PAGE.id, "page_ids"))
)


def previews(connection: Connection, page_ids: Collection[int], base: str) -> dict[int, str]:
    """Find the URL of each page's `METAOG_IMAGE`, or of a default picture, by page id."""
    return {
        page_id: share_picture(fields, base) or base + _USUAL
        for page_id, fields in _FIELDS.all(connection, page_ids=list(page_ids))
    }


def site_preview(connection: Connection, main_page_id: int | None, base: str) -> str:
    """Find the URL of a site's preview: its main page's picture, or a default one."""
    found = previews(connection, [main_page_id], base) if main_page_id else {}
    return next(iter(found.values()), base + _USUAL)
