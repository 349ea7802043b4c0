"""Naming: pages that a call is about to name stay as they are until it ends.

So nothing comes to name a page that is removed, put into the trash or moved in the same moment.
"""

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, select

from landyard import Prepared, one_of
from landyard_landing.sites.codes import BIGGEST_ID
from landyard_landing.tables import PAGE

# Pages are locked before sites and folders, as calls do that move or remove them.
_THESE = (
    select(PAGE.id).where(one_of(PAGE.id, "page_ids")).order_by(PAGE.id).with_for_update(read=True)
)
_HOLD = Prepared(_THESE, int)
_HOLD_OF_SITE = Prepared(_THESE.where(PAGE.site_id == bindparam("site_id")), int)


def hold_named(
    connection: Connection, page_ids: Collection[object], site_id: int | None = None
) -> None:
    """Keep pages as they are until this call ends: look at them behind this.

    The caller has been asked for the rights on them, or on the site that they have to be of. What
    is no page's id is passed over. SQLite has one writer at a time anyway.
    """
    ids = [each for each in page_ids if isinstance(each, int) and 0 < each <= BIGGEST_ID]
    if not ids or connection.dialect.name != "postgresql":
        return
    if site_id is None:
        _HOLD.all(connection, page_ids=ids)
    else:
        _HOLD_OF_SITE.all(connection, page_ids=ids, site_id=site_id)
