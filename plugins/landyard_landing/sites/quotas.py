"""The quotas of public pages and sites: their settings, and the check before publication."""

from collections.abc import Collection
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import func, not_, select

from landyard import Call, Prepared, one_of
from landyard_landing.change_tables import PUBLIC_VERSION
from landyard_landing.sites.refusals import PublicPageReached, PublicSiteReached
from landyard_landing.tables import PAGE, SITE

# Publishing updates this row before it commits. A quota check locks the row, and so waits for
# publications that are under way.
_LOCK = Prepared(select(PUBLIC_VERSION.version).with_for_update())
_PAGES = Prepared(
    select(func.count())
    .select_from(PAGE.id.table)
    .where(PAGE.active, PAGE.published, ~PAGE.deleted, not_(one_of(PAGE.id, "besides"))),
    int,
)
_SITES = Prepared(
    select(func.count())
    .select_from(SITE.id.table)
    .where(SITE.active, ~SITE.deleted, not_(one_of(SITE.id, "besides"))),
    int,
)


class PublicationSettings(Struct, frozen=True):
    """`most_pages`, `most_sites`: the most pages and sites that are public at once; 0: no limit."""

    most_pages: Annotated[int, Meta(ge=0)] = 0
    most_sites: Annotated[int, Meta(ge=0)] = 0


def require_room(call: Call, site_id: int, page_ids: Collection[int]) -> None:
    """Raise `PublicPageReached` or `PublicSiteReached` where publication would exceed a quota.

    The pages and the site become public in this call; those already public do not count twice. No
    other call checks a quota until this one ends.
    """
    most = call.settings(PublicationSettings)
    if not (most.most_pages or most.most_sites):
        return
    if call.connection.dialect.name != "sqlite":  # SQLite has one writer at a time
        _LOCK.first(call.connection)
    pages = _PAGES.first(call.connection, besides=list(page_ids)) or 0
    if page_ids and 0 < most.most_pages < pages + len(page_ids):
        raise PublicPageReached
    sites = _SITES.first(call.connection, besides=[site_id]) or 0
    if 0 < most.most_sites < sites + 1:
        raise PublicSiteReached
