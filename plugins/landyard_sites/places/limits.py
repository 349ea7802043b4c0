"""The limit of an operator on sites, and turns of calls that look for what is free."""

from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import Connection, func, select

from landyard import Call, Prepared
from landyard_landing import SITE, take_turn

_COUNT = Prepared(select(func.count()).select_from(SITE.id.table).where(~SITE.deleted), int)


class SiteSettings(Struct, frozen=True):
    """`most`: how many sites there may be outside the trash for calls to add one; 0: any number."""

    most: Annotated[int, Meta(ge=0)] = 0


def one_at_a_time(connection: Connection) -> None:
    """Let no other call come by here until this one ends; see `take_turn`."""
    take_turn(connection, "sites")


def has_room(call: Call) -> bool:
    """Tell whether there may be one more site outside the trash."""
    most = call.settings(SiteSettings).most
    if not most:
        return True
    one_at_a_time(call.connection)
    return (_COUNT.first(call.connection) or 0) < most
