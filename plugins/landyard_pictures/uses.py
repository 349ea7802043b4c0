"""Tells whether published blocks of a page mention uploaded files."""

from sqlalchemy import Connection, bindparam, select

from landyard import Prepared
from landyard_content import files
from landyard_landing import tables

# All blocks of the page: with a condition on `public` SQLite would not use the index of files.
_OF_PAGE = select(tables.BLOCK.public).where(tables.BLOCK.page_id == bindparam("page_id"))


_SHOWING = {
    dialect: Prepared(query, bool) for dialect, query in files.mentions("content", _OF_PAGE).items()
}


def shows_files(connection: Connection, page_id: int) -> bool:
    """Tell whether published blocks of a page mention uploaded files."""
    return any(_SHOWING[connection.dialect.name].all(connection, page_id=page_id))
