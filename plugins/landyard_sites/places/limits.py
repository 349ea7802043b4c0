"""The operator's limit on sites, and the lock for calls that look for free names."""

from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import Connection, func, select

from landyard import Call, Prepared
from landyard_landing import advisory_lock, tables

_COUNT = Prepared(
    select(func.count()).select_from(tables.SITE.id.table).where(~tables.SITE.deleted), int
)


class SiteSettings(Struct, frozen=True):
    """`most`: the limit of sites outside the trash for calls that add one; 0 is no limit."""

    most: Annotated[int, Meta(ge=0)] = 0


def one_at_a_time(connection: Connection) -> None:
    """Take the lock `sites`, which other calls wait for until this one ends."""
    advisory_lock.acquire(connection, "sites")


def has_room(call: Call) -> bool:
    """Tell whether the limit allows one more site outside the trash."""
    most = call.settings(SiteSettings).most
    if not most:
        return True
    one_at_a_time(call.connection)
    return (_COUNT.first(call.connection) or 0) < most
