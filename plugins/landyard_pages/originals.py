"""Reads the original that a page translates, from its field `TRANSLATION_OF`."""

from sqlalchemy import bindparam, select

from landyard import Call, Prepared
from landyard_landing import errors, rights, sites, tables

_FIELD = "fields.TRANSLATION_OF"


_FIND = rights.PageQuery(tables.PAGE.original_id)


_HAS_TRANSLATIONS = Prepared(
    select(tables.PAGE.id)
    .where(tables.PAGE.original_id == bindparam("page_id"), tables.PAGE.id != bindparam("page_id"))
    .limit(1),
    int,
)


def read_original(call: Call, named_id: int, page_id: int = 0) -> int | None:
    """Read the field `TRANSLATION_OF` of the page `page_id`: the id of its original; 0 is none.

    A named page that is a translation itself stands for its original. The caller needs the right
    to change settings on all these pages, since visitors will find a link on each to the others.
    Raises `AccessDenied`.
    """
    if not named_id:
        return None
    original = _named(call, named_id)
    if original == page_id:
        raise errors.AccessDenied(f"{_FIELD}: a page is not a translation of itself.")
    if page_id and _HAS_TRANSLATIONS.first(call.connection, page_id=page_id) is not None:
        raise errors.AccessDenied(f"{_FIELD}: the page has translations, and is their original.")
    return original


def _named(call: Call, named_id: int) -> int:
    subject = call.subject
    try:
        rights.find_page(call, named_id, None, every_type=True).require(rights.Right.SETTINGS)
        sites.lock_referenced_pages(call.connection, [named_id])
        page, (above,) = _FIND.find(call, named_id, None, every_type=True)
        page.require(rights.Right.SETTINGS)
        if above is None or above == page.id:
            return page.id
        rights.find_page(call, above, None, every_type=True).require(rights.Right.SETTINGS)
        sites.lock_referenced_pages(call.connection, [above])
        rights.find_page(call, above, None, every_type=True).require(rights.Right.SETTINGS)
    except errors.LandingNotExist:
        raise errors.AccessDenied(
            f"{_FIELD}: there is no such page, or it is not yours to see."
        ) from None
    finally:
        call.subject = subject  # the page that is changed
    return int(above)
