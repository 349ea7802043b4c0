"""The public URLs of sites, and the addresses of their preview pictures."""

from collections.abc import Collection
from urllib.parse import quote

from sqlalchemy import select

from landyard import Call, Prepared, Settings, one_of
from landyard_landing import tables
from landyard_public.share_images import site_preview

_PLACES = Prepared(
    select(tables.SITE.id, tables.SITE.code, tables.SITE.domain).where(
        one_of(tables.SITE.id, "site_ids")
    )
)
_MAINS = Prepared(
    select(tables.SITE.id, tables.SITE.main_page_id).where(one_of(tables.SITE.id, "site_ids"))
)


def public_urls(call: Call, site_ids: Collection[int]) -> dict[int, str]:
    """Return the public URL of each site, without a slash at the end."""
    base = call.settings(Settings).base
    scheme = base.partition("://")[0]
    places = _PLACES.all(call.connection, site_ids=[*site_ids])
    return {
        site_id: f"{scheme}://{domain}" if domain else f"{base}/{quote(code, safe='')}"
        for site_id, code, domain in places
    }


def pictures(call: Call, site_ids: Collection[int]) -> dict[int, str]:
    """Return the address of each site's preview picture."""
    base = call.settings(Settings).base
    main_pages = _MAINS.all(call.connection, site_ids=[*site_ids])
    return {site_id: site_preview(call.connection, main, base) for site_id, main in main_pages}
