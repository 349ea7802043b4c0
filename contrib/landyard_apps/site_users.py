"""Whether an access code names a site's users."""

from sqlalchemy import Connection, bindparam, select

from landyard import Prepared
from landyard_landing.tables import SITE

_IS_SITE = Prepared(select(SITE.id).where(SITE.id == bindparam("site_id")), int)


def is_site(connection: Connection, site_id: int) -> bool:
    """Tell whether there is a site, in the trash or not."""
    return _IS_SITE.first(connection, site_id=site_id) is not None
