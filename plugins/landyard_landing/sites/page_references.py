"""Locks the pages that a call is about to refer to, until the call ends.

So no new reference names a page that another call removes, trashes or moves at the same time.
"""

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, select

from landyard import Prepared, one_of
from landyard_landing.sites.codes import BIGGEST_ID
from landyard_landing.tables import PAGE

# Pages are locked before sites and folders, in the order of calls that move or remove pages.
_THESE = (
    select(PAGE.id).where(one_of(PAGE.id, "page_ids")).order_by(PAGE.id).with_for_update(read=True)
)
_HOLD = Prepared(_THESE, int)
_HOLD_OF_SITE = Prepared(_THESE.where(PAGE.site_id == bindparam("site_id")), int)


def lock_referenced_pages(
    connection: Connection, page_ids: Collection[object], site_id: int | None = None
) -> None:
    """Lock pages against changes until this call ends; read them after this.

    The rights on the pages, or on the site `site_id` that they must belong to, are checked before.
    Values that are no ids of pages are ignored. SQLite has one writer at a time and needs no lock.
    """
    ids = [each for each in page_ids if isinstance(each, int) and 0 < each <= BIGGEST_ID]
    if not ids or connection.dialect.name != "postgresql":
        return
    if site_id is None:
        _HOLD.all(connection, page_ids=ids)
    else:
        _HOLD_OF_SITE.all(connection, page_ids=ids, site_id=site_id)
