"""Pages that are translations of each other: each names the same original, or is it."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, or_, select, update

from landyard import Call, Prepared, one_of
from landyard_landing.errors import AccessDenied, LandingNotExist
from landyard_landing.sites.naming import hold_named
from landyard_landing.sites.pages import Right, find_page, find_page_with, page_with
from landyard_landing.sites.urls import address_of, page_at
from landyard_landing.tables import PAGE, SITE

USUAL = "x-default"
"""What search engines call the page for whoever reads none of the languages: the original."""
_MOST = 100  # pages that name one original, and are looked at for one page

_FIELD = "fields.TRANSLATION_OF"
_FIND = page_with(PAGE.original_id)
_HAS_TRANSLATIONS = Prepared(
    select(PAGE.id)
    .where(PAGE.original_id == bindparam("page_id"), PAGE.id != bindparam("page_id"))
    .limit(1),
    int,
)
_LEFT = Prepared(
    select(PAGE.original_id, PAGE.id)
    .where(one_of(PAGE.original_id, "page_ids"), ~one_of(PAGE.id, "page_ids"))
    .order_by(PAGE.id)
    .with_for_update(key_share=True)
)
_NAME_ANOTHER = Prepared(
    update(PAGE.id.table)
    .where(one_of(PAGE.id, "page_ids"))
    .values(original_id=bindparam("original"))
)
_GROUP = Prepared(
    select(
        PAGE.id,
        func.coalesce(PAGE.language, SITE.language),
        PAGE.original_id.is_(None),
    )
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
        find_page(call, said, None, every_type=True).require(Right.SETTINGS)
        hold_named(call.connection, [said])
        page, (above,) = find_page_with(call, _FIND, said, None, every_type=True)
        page.require(Right.SETTINGS)
        if above is None or above == page.id:
            return page.id
        find_page(call, above, None, every_type=True).require(Right.SETTINGS)
        hold_named(call.connection, [above])
        find_page(call, above, None, every_type=True).require(Right.SETTINGS)
    except LandingNotExist:
        raise AccessDenied(f"{_FIELD}: there is no such page, or it is not yours to see.") from None
    finally:
        call.subject = subject  # the page that is changed
    return int(above)


def leave_translations(connection: Connection, page_ids: Sequence[int]) -> None:
    """Keep the translations of removed pages together: all name the first of them from now on.

    That one names itself as well, so it is no original: search engines are told of no `x-default`.
    """
    groups: dict[int, list[int]] = {}
    for original_id, page_id in _LEFT.all(connection, page_ids=list(page_ids)):
        groups.setdefault(original_id, []).append(page_id)
    for left in groups.values():
        _NAME_ANOTHER.run(connection, page_ids=left, original=left[0])


def translations(
    connection: Connection, page_id: int, original_id: int, base: str
) -> list[Translation]:
    """List the pages of one original that visitors can open, with `page_id` itself; or nothing.

    One for each language: the original, the page itself, then the one that was made first.
    """
    pages = _GROUP.all(connection, original=original_id)
    is_original = (original_id, True) in [(each, is_it) for each, _, is_it in pages]
    by_language: dict[str, int] = {}
    for each, language, _ in sorted(pages, key=lambda row: row[0] != page_id):
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
    usual = urls[original_id] if is_original else ""
    return [*found, Translation(USUAL, usual)] if usual else found


def _url(connection: Connection, page_id: int, base: str) -> str:
    """Write the URL at which visitors get the page; "" where they do not."""
    address = address_of(connection, page_id)
    if address is None or page_at(connection, address.domain or "", address.path) != page_id:
        return ""
    return address.url(base)
