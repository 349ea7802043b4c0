"""Stores the special pages of sites, such as a shop's cart: a page for each type."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select

from landyard import Call, Prepared
from landyard_landing import advisory_lock, site_tables, tables

_OF_SITE = site_tables.SPECIAL_PAGE.site_id == bindparam("of_site")
_OF_TYPE = site_tables.SPECIAL_PAGE.type == bindparam("of_type")
_OF_PAGE = site_tables.SPECIAL_PAGE.page_id == bindparam("of_page")
_FORGET_TYPE = Prepared(delete(site_tables.SPECIAL_PAGE.id.table).where(_OF_SITE, _OF_TYPE))
_FORGET_SITE = Prepared(delete(site_tables.SPECIAL_PAGE.id.table).where(_OF_SITE))
_FORGET_PAGE = Prepared(delete(site_tables.SPECIAL_PAGE.id.table).where(_OF_PAGE))
_ADD = Prepared(insert(site_tables.SPECIAL_PAGE.id.table))
_HAS = Prepared(
    select(tables.PAGE.id)
    .where(
        tables.PAGE.id == bindparam("page_id"),
        tables.PAGE.site_id == bindparam("site_id"),
        ~tables.PAGE.deleted,
    )
    .with_for_update(key_share=True),
    int,
)


class Special(Struct, frozen=True):
    """A special page of a site."""

    type: str
    page_id: int
    title: str
    deleted: bool
    active: bool


_LISTED = (
    select(
        site_tables.SPECIAL_PAGE.type,
        tables.PAGE.id,
        tables.PAGE.title,
        tables.PAGE.deleted,
        tables.PAGE.active,
    )
    .join(tables.PAGE.id.table, tables.PAGE.id == site_tables.SPECIAL_PAGE.page_id)
    .where(_OF_SITE, tables.PAGE.site_id == site_tables.SPECIAL_PAGE.site_id)
)
_LIST = Prepared(_LISTED.order_by(site_tables.SPECIAL_PAGE.id), Special)
_FIND = Prepared(_LISTED.where(_OF_TYPE), Special)


def list_special(connection: Connection, site_id: int) -> list[Special]:
    """Return the special pages of a site, without pages that were moved to another site."""
    return _LIST.all(connection, of_site=site_id)


def find_special(connection: Connection, site_id: int, kind: str) -> Special | None:
    """Return the special page of a type on a site; None if there is none."""
    return _FIND.first(connection, of_site=site_id, of_type=kind)


def set_special(call: Call, site_id: int, kind: str, page_id: int | None) -> bool:
    """Set or remove a site's special page of a type; False if the page is not on the site."""
    connection = call.connection
    advisory_lock.acquire(connection, "special pages")
    if page_id and _HAS.first(connection, page_id=page_id, site_id=site_id) is None:
        return False
    _FORGET_TYPE.run(connection, of_site=site_id, of_type=kind)
    if page_id:
        _ADD.run(connection, site_id=site_id, type=kind, page_id=page_id)
    return True


def forget_site(connection: Connection, site_id: int) -> None:
    """Remove all special pages of a site; the pages themselves stay."""
    _FORGET_SITE.run(connection, of_site=site_id)


def forget_page(connection: Connection, page_id: int) -> None:
    """End a page's role as a special page."""
    _FORGET_PAGE.run(connection, of_page=page_id)
