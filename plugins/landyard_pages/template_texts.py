"""Reads pages' texts for search engines as visitors see them."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from landyard import Prepared, one_of
from landyard_landing import sites, tables

_READ = Prepared(
    select(
        tables.PAGE.id,
        tables.PAGE.title,
        tables.PAGE.description,
        tables.PAGE.additional_fields,
        tables.PAGE.template_fields,
    ).where(one_of(tables.PAGE.id, "page_ids"))
)


def read_shown_texts(connection: Connection, page_ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """Read pages' texts for search engines, by page id and field; "" where none is shown."""
    return {
        page_id: {name: _text(fields.get(name)) for name in (*sites.TITLES, *sites.DESCRIPTIONS)}
        for page_id, *page in _READ.all(connection, page_ids=list(page_ids))
        for fields in [sites.shown_fields(*page)]
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
