"""Finds the pages and sites that use uploaded files."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Select, Text, cast, select

from landyard_content.files.records import MENTIONS, mentioned_files, mentions
from landyard_content.files.visible_sites import is_page_of
from landyard_landing.tables import SITE

_BY_SITES = mentions("additional_fields", select(SITE.id, cast(SITE.additional_fields, Text)))


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
