"""The storage of special pages: a page for each type of a site."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select

from landyard import Call, Prepared
from landyard_landing import PAGE, SPECIAL_PAGE, take_turn

_OF_SITE = SPECIAL_PAGE.site_id == bindparam("of_site")
_OF_TYPE = SPECIAL_PAGE.type == bindparam("of_type")
_OF_PAGE = SPECIAL_PAGE.page_id == bindparam("of_page")
_FORGET_TYPE = Prepared(delete(SPECIAL_PAGE.id.table).where(_OF_SITE, _OF_TYPE))
_FORGET_SITE = Prepared(delete(SPECIAL_PAGE.id.table).where(_OF_SITE))
_FORGET_PAGE = Prepared(delete(SPECIAL_PAGE.id.table).where(_OF_PAGE))
_ADD = Prepared(insert(SPECIAL_PAGE.id.table))
_HAS = Prepared(
    select(PAGE.id)
    .where(PAGE.id == bindparam("page_id"), PAGE.site_id == bindparam("site_id"), ~PAGE.deleted)
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
    select(SPECIAL_PAGE.type, PAGE.id, PAGE.title, PAGE.deleted, PAGE.active)
    .join(PAGE.id.table, PAGE.id == SPECIAL_PAGE.page_id)
    .where(_OF_SITE, PAGE.site_id == SPECIAL_PAGE.site_id)
)
_LIST = Prepared(_LISTED.order_by(SPECIAL_PAGE.id), Special)
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
    take_turn(connection, "special pages")
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
