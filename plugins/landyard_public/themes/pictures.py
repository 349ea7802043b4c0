"""Looks up a site's own picture, such as its logo, among the files uploaded to the site."""

import re

from sqlalchemy import Connection, bindparam, or_, select

from landyard import Prepared
from landyard_content import files
from landyard_landing import sites, tables

_PATH = re.compile(r"/files/([0-9a-f]{32})/([^/?#]{1,255})")
_FIND = Prepared(
    select(tables.FILE.key, tables.FILE.name)
    .join(tables.PAGE.id.table, tables.PAGE.id == tables.FILE.page_id, isouter=True)
    .where(
        or_(tables.FILE.id == bindparam("file_id"), tables.FILE.key == bindparam("key")),
        or_(tables.PAGE.site_id == bindparam("site_id"), tables.FILE.page_id == files.KEPT),
    )
)


def find_picture(connection: Connection, site_id: int, named: str) -> str | None:
    """Find the path of a file uploaded to a site, by its id or path; None where there is none.

    The file is locked until the call ends, so that the caller can store a mention of it.
    """
    path = _PATH.fullmatch(named)
    file_id = int(named) if named.isdecimal() and len(named) < 11 else 0
    if path is None and not 0 < file_id <= sites.BIGGEST_ID:
        return None
    row = _FIND.first(
        connection, file_id=0 if path else file_id, key=path[1] if path else "", site_id=site_id
    )
    if row is None or (path and row[1] != path[2]):
        return None
    found = f"/files/{row[0]}/{row[1]}"
    files.use_files(connection, found)
    return found
