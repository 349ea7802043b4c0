"""Finds the pages and sites that use uploaded files."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, Text, bindparam, cast, select

from landyard import Prepared
from landyard_landing.files.records import MENTIONS, mentioned_files, mentions
from landyard_landing.files.seen import is_page_of
from landyard_landing.tables import BLOCK, SITE

_BY_SITES = mentions("additional_fields", select(SITE.id, cast(SITE.additional_fields, Text)))

# All blocks of the page: with a condition on `public` SQLite would not use the index of files.
_OF_PAGE = select(BLOCK.public).where(BLOCK.page_id == bindparam("page_id"))
_SHOWING = {
    dialect: Prepared(query, bool) for dialect, query in mentions("content", _OF_PAGE).items()
}


class Uses(Struct, frozen=True):
    """The pages and sites that mention a file."""

    pages: set[int]
    sites: set[int]


def uses_of(
    connection: Connection, keys: Collection[str], sites: Select[Any] | None = None
) -> dict[str, Uses]:
    """Find the pages, drafts included, and sites that use files, by the files' keys.

    `sites` is a query of sites' ids to which the search is restricted.
    """
    found = {key: Uses(set(), set()) for key in keys}
    for queries in (*MENTIONS[:-1], _BY_SITES) if found else ():
        query = queries[connection.dialect.name]
        if sites is not None:
            owner_id = query.selected_columns[0]
            query = query.where(
                owner_id.in_(sites) if queries is _BY_SITES else is_page_of(owner_id, sites)
            )
        for row_id, text_of in connection.execute(query):
            for key in found.keys() & mentioned_files(text_of):
                (found[key].sites if queries is _BY_SITES else found[key].pages).add(row_id)
    return found


def shows_files(connection: Connection, page_id: int) -> bool:
    """Tell whether published blocks of a page mention uploaded files."""
    return any(_SHOWING[connection.dialect.name].all(connection, page_id=page_id))
