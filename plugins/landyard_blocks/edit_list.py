"""Lists the edits of a page's draft, the latest first, some at a time (B14)."""

from sqlalchemy import Connection, bindparam, func, select

from landyard_content import history
from landyard_landing import change_tables

_SOME = 17  # edits that are read at once
_MUCH = 4 * 1024 * 1024  # characters of HTML
_COUNT = select(func.count()).where(change_tables.HISTORY.page_id == bindparam("page_id"))


def recent_edits(
    connection: Connection, page_id: int, offset: int, limit: int
) -> list[history.Edit]:
    """List edits of a page's draft from `offset` on, the latest first.

    They are at most `limit`, and fewer where they are very long together; at least one.
    """
    found: list[history.Edit] = []
    length = 0
    while len(found) < limit and length < _MUCH:
        some = min(_SOME, limit - len(found))
        query = history.edits_of(page_id).offset(offset + len(found)).limit(some)
        read = [history.Edit.of(*row) for row in connection.execute(query)]
        found += read
        length += sum(len(each.before.get("content", "")) for each in read)
        if len(read) < some:
            break
    return found


def count_edits(connection: Connection, page_id: int) -> int:
    """Count the edits of a page's draft."""
    return connection.execute(_COUNT, {"page_id": page_id}).scalar_one()
