"""Queries for the sites that the caller may view and their pages, for lists of files."""

from typing import Any

from sqlalchemy import ColumnElement, Select, exists, select

from landyard import Call
from landyard_landing.rights import viewed, viewing
from landyard_landing.sites import SITE_TYPES
from landyard_landing.tables import PAGE, SITE

_SITES = viewed(select(SITE.id), SITE.id)
_PAGE = PAGE.id.table.alias("seen_page")


def sites_seen(call: Call) -> Select[Any]:
    """Select the ids of the sites that the caller may view, of every type, in the trash as well.

    Raises `AccessDenied` for a caller without any access to sites (R1).
    """
    return _SITES.params({**viewing(call, None), "site_types": sorted(SITE_TYPES)})


def is_page_of(column: ColumnElement[int], sites: Select[Any]) -> ColumnElement[bool]:
    """Write the condition that a column is the id of a page of `sites`, in the trash or not.

    It checks one page at a time: SQLite would read a list of all pages of a site first.
    """
    return exists().where(_PAGE.c.id == column, _PAGE.c.site_id.in_(sites))
