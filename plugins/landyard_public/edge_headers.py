"""The headers for edges, caches in front of the service: the tags and the lifetime of an answer."""

from collections.abc import Callable, Iterable

from sqlalchemy import Connection, bindparam, or_, select

from landyard import Prepared, one_of
from landyard_landing import site_tables, tables
from landyard_public.answers import REVALIDATED, Headers
from landyard_public.edge_tags import (
    EVERYTHING,
    LISTS,
    PublicSettings,
    file_tag,
    page_tag,
    site_tag,
    theme_tag,
)

_MOST_TRANSLATIONS = 100
_PAGE = Prepared(
    select(tables.PAGE.site_id, tables.PAGE.original_id, tables.SITE.theme)
    .join(tables.SITE.id.table, tables.SITE.id == tables.PAGE.site_id)
    .where(tables.PAGE.id == bindparam("page_id"))
)
_TRANSLATIONS = Prepared(
    select(tables.PAGE.id)
    .where(
        or_(
            tables.PAGE.id == bindparam("original_id"),
            tables.PAGE.original_id == bindparam("original_id"),
        )
    )
    .order_by(tables.PAGE.id)
    .limit(_MOST_TRANSLATIONS)
)
_AREAS = Prepared(
    select(site_tables.AREA.page_id).where(
        or_(
            site_tables.AREA.site_id == bindparam("site_id"),
            site_tables.AREA.framed_id == bindparam("page_id"),
        )
    )
)
_SITES = Prepared(
    select(tables.PAGE.site_id).where(one_of(tables.PAGE.id, "page_ids")).order_by(tables.PAGE.id)
)


class EdgeHeaders:
    """Writes `Cache-Control` and the tags of public answers, as the settings say.

    Without tags in the settings it reads nothing.
    """

    def __init__(self, settings: PublicSettings) -> None:
        """Write the headers that are the same for all pages."""
        self._names = [name.encode().lower() for name in settings.tag_headers]
        self._caching: Headers = ((b"cache-control", _caching(settings)),)
        self.of_list = self._with_tags((LISTS, EVERYTHING))

    def of_page(self, connection: Connection, page_id: int) -> Headers:
        """Write the headers of a page."""
        return self._with_tags(_tags_of(connection, page_id)) if self._names else self._caching

    def of_file(self, key: str) -> Headers:
        """Write the tags of an uploaded file; its `Cache-Control` is the file's own."""
        return self._tagged((file_tag(key), EVERYTHING))

    def _with_tags(self, tags: Iterable[str]) -> Headers:
        return (*self._caching, *self._tagged(tags))

    def _tagged(self, tags: Iterable[str]) -> Headers:
        listed = tuple(tags)
        return tuple((name, _WRITTEN[name](listed).encode()) for name in self._names)


def _caching(settings: PublicSettings) -> bytes:
    if not settings.s_maxage:
        return REVALIDATED
    caching = REVALIDATED + b", s-maxage=%d" % settings.s_maxage
    if not settings.stale_while_revalidate:
        return caching
    return caching + b", stale-while-revalidate=%d" % settings.stale_while_revalidate


def _tags_of(connection: Connection, page_id: int) -> list[str]:
    """List the tags of a page, and of the pages that it shows or names."""
    found = _PAGE.first(connection, page_id=page_id)
    if found is None:
        return [page_tag(page_id), EVERYTHING]
    site_id, original_id, theme = found
    named = _TRANSLATIONS.all(connection, original_id=original_id or page_id)
    shown = _AREAS.all(connection, site_id=site_id, page_id=page_id)
    others = {each for (each,) in (*named, *shown)} - {page_id}
    if original_id:  # a translation that is published later purges the original's tag
        others |= {original_id} - {page_id}
    around = _SITES.all(connection, page_ids=sorted(others)) if others else ()
    site_ids = dict.fromkeys([site_id, *(each for (each,) in around)])
    return [
        *map(page_tag, (page_id, *sorted(others))),
        *map(site_tag, site_ids),
        theme_tag(theme),
        EVERYTHING,
    ]


def _spaced(tags: Iterable[str]) -> str:
    return " ".join(tags)


def _listed(tags: Iterable[str]) -> str:
    return ",".join(tags)


def _quoted(tags: Iterable[str]) -> str:
    return ", ".join(f'"{tag}"' for tag in tags)


_WRITTEN: dict[bytes, Callable[[Iterable[str]], str]] = {
    b"surrogate-key": _spaced,
    b"cache-tag": _listed,
    b"xkey": _spaced,
    b"cache-groups": _quoted,
}
