"""Addresses of sites: where visitors find them, and a picture of each."""

from collections.abc import Collection
from urllib.parse import quote

from sqlalchemy import select

from landyard import Call, Prepared, Settings, one_of
from landyard_landing import SITE, site_preview

_PLACES = Prepared(select(SITE.id, SITE.code, SITE.domain).where(one_of(SITE.id, "site_ids")))
_MAINS = Prepared(select(SITE.id, SITE.main_page_id).where(one_of(SITE.id, "site_ids")))


def public_urls(call: Call, site_ids: Collection[int]) -> dict[int, str]:
    """Write the public URL of each site, without a slash at its end."""
    base = call.settings(Settings).base
    scheme = base.partition("://")[0]
    found = _PLACES.all(call.connection, site_ids=[*site_ids])
    return {
        site_id: f"{scheme}://{domain}" if domain else f"{base}/{quote(code, safe='')}"
        for site_id, code, domain in found
    }


def pictures(call: Call, site_ids: Collection[int]) -> dict[int, str]:
    """Find the address of each site's picture."""
    base = call.settings(Settings).base
    found = _MAINS.all(call.connection, site_ids=[*site_ids])
    return {site_id: site_preview(call.connection, main, base) for site_id, main in found}
