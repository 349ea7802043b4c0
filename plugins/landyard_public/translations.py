"""Lists the published translations of a page, for search engines and readers."""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, or_, select

from landyard import Prepared
from landyard_landing import sites
from landyard_landing.tables import PAGE, SITE
from landyard_public.page_lookup import page_at

USUAL = "x-default"
"""The `hreflang` of the original, the page for readers of none of the other languages."""
_MOST = 100  # the most translations of an original that are listed

_GROUP = Prepared(
    select(
        PAGE.id,
        func.coalesce(PAGE.language, SITE.language),
        PAGE.original_id.is_(None),
    )
    .join(SITE.id.table, SITE.id == PAGE.site_id)
    .where(
        or_(
            PAGE.id == bindparam("original"),
            PAGE.original_id == bindparam("original"),
        ),
        *(PAGE.active, PAGE.published, ~PAGE.deleted),
    )
    .order_by(PAGE.id != bindparam("original"), PAGE.id)
    .limit(_MOST)
)


class Translation(Struct, frozen=True):
    """A page's URL in a language; the language `x-default` stands for the original."""

    language: str
    url: str


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
    address = sites.address_of(connection, page_id)
    if address is None or page_at(connection, address.domain or "", address.path) != page_id:
        return ""
    return address.url(base)
