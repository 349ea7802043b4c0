"""Pages that are translations of each other: each names the same original, or is it."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, or_, select

from landyard import Call, Prepared
from landyard_landing.errors import AccessDenied, LandingNotExist
from landyard_landing.sites.pages import Right, find_page, find_page_with, page_with
from landyard_landing.sites.urls import address_of, page_at
from landyard_landing.tables import PAGE, SITE

USUAL = "x-default"
"""What search engines call the page for whoever reads none of the languages: the original."""
_MOST = 100  # pages that name one original, and are looked at for one page

_FIELD = "fields.TRANSLATION_OF"
_FIND = page_with(PAGE.original_id)
_HAS_TRANSLATIONS = Prepared(
    select(PAGE.id).where(PAGE.original_id == bindparam("page_id")).limit(1), int
)
_GROUP = Prepared(
    select(PAGE.id, func.coalesce(PAGE.language, SITE.language))
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(
        or_(PAGE.id == bindparam("original"), PAGE.original_id == bindparam("original")),
        *(PAGE.active, PAGE.published, ~PAGE.deleted),
    )
    .order_by(PAGE.id != bindparam("original"), PAGE.id)
    .limit(_MOST)
)


class Translation(Struct, frozen=True):
    """A page that says the same in a language; `x-default` is the original, for all others."""

    language: str
    url: str


def read_original(call: Call, said: int, page_id: int = 0) -> int | None:
    """Read which page is the original of another: 0 for none.

    One that is a translation itself stands for its original. The caller needs the right to change
    settings on all of them: they name each other to visitors from then on. Raises `AccessDenied`.
    """
    if not said:
        return None
    original = _named(call, said)
    if original == page_id:
        raise AccessDenied(f"{_FIELD}: a page is not a translation of itself.")
    if page_id and _HAS_TRANSLATIONS.first(call.connection, page_id=page_id) is not None:
        raise AccessDenied(f"{_FIELD}: the page has translations, and is their original.")
    return original


def _named(call: Call, said: int) -> int:
    subject = call.subject
    try:
        page, (above,) = find_page_with(call, _FIND, said, None, every_type=True)
        page.require(Right.SETTINGS)
        if above is None:
            return page.id
        find_page(call, above, None, every_type=True).require(Right.SETTINGS)
    except LandingNotExist:
        raise AccessDenied(f"{_FIELD}: there is no such page, or it is not yours to see.") from None
    finally:
        call.subject = subject  # the page that is changed
    return int(above)


def translations(
    connection: Connection, page_id: int, original_id: int, base: str
) -> list[Translation]:
    """List the pages of one original that visitors can open, with `page_id` itself; or nothing.

    One for each language: the original, the page itself, then the one that was made first.
    """
    pages = _GROUP.all(connection, original=original_id)
    by_language: dict[str, int] = {}
    for each, language in sorted(pages, key=lambda row: row[0] != page_id):
        by_language.setdefault(language, each)
    urls = {each: _url(connection, each, base) for each in {*by_language.values(), original_id}}
    if not urls.get(page_id):
        return []  # a page that has no URL of its own
    found = [
        Translation(language, url)
        for language, each in sorted(by_language.items())
        if (url := urls[each])
    ]
    if len(found) < 2:
        return []
    usual = urls[original_id]
    return [*found, Translation(USUAL, usual)] if usual else found


def _url(connection: Connection, page_id: int, base: str) -> str:
    """Write the URL at which visitors get the page; "" where they do not."""
    address = address_of(connection, page_id)
    if address is None or page_at(connection, address.domain or "", address.path) != page_id:
        return ""
    return address.url(base)
