"""Translations of pages: links each to its original, and lists a page's published versions."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, or_, select, update

from landyard import Prepared, one_of
from landyard_landing.sites.urls import address_of, page_at
from landyard_landing.tables import PAGE, SITE

USUAL = "x-default"
"""The `hreflang` of the original, the page for readers of none of the other languages."""
_MOST = 100  # the most translations of an original that are listed

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
    """A page's URL in a language; the language `x-default` stands for the original."""

    language: str
    url: str


def leave_translations(connection: Connection, page_ids: Sequence[int]) -> None:
    """Keep the translations of removed originals linked: all name the first of them as original.

    The first names itself as well, which marks that it is no original: the list of translations
    then has no `x-default`.
    """
    groups: dict[int, list[int]] = {}
    for original_id, page_id in _LEFT.all(connection, page_ids=list(page_ids)):
        groups.setdefault(original_id, []).append(page_id)
    for left in groups.values():
        _NAME_ANOTHER.run(connection, page_ids=left, original=left[0])


def translations(
    connection: Connection, page_id: int, original_id: int, base: str
) -> list[Translation]:
    """List the published translations of an original, with the page `page_id` itself.

    Each language has one page; the page itself comes before the original, and this before the
    oldest. The list is empty for fewer than two languages, or if visitors cannot open the page.
    """
    pages = _GROUP.all(connection, original=original_id)
    is_original = (original_id, True) in [(each, is_it) for each, _, is_it in pages]
    by_language: dict[str, int] = {}
    for each, language, _ in sorted(pages, key=lambda row: row[0] != page_id):
        by_language.setdefault(language, each)
    urls = {each: _url(connection, each, base) for each in {*by_language.values(), original_id}}
    if not urls.get(page_id):
        return []  # visitors do not get this page at a URL
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
    """Write the URL at which visitors get the page; "" where they get none or another."""
    address = address_of(connection, page_id)
    if address is None or page_at(connection, address.domain or "", address.path) != page_id:
        return ""
    return address.url(base)
