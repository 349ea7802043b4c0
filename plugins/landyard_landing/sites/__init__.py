"""Sites and folders: look-up with rights, addresses, page codes, list parameters, quotas."""

from landyard_landing.sites.additional_fields import (
    filled_additional,
    merge_additional,
)
from landyard_landing.sites.areas import (
    leave_areas,
    mark_areas,
)
from landyard_landing.sites.codes import (
    BIGGEST_ID,
    free_code,
    generate_code,
    in_trash,
    lock_sites,
    page_code,
    transliterated,
)
from landyard_landing.sites.dates import (
    Dates,
)
from landyard_landing.sites.hosts import (
    OwnHost,
    OwnHosts,
    plain_host,
    stored_host,
)
from landyard_landing.sites.list_params import (
    Row,
    Selecting,
    Selection,
)
from landyard_landing.sites.lookup import (
    DOMAIN_ID,
    SiteQuery,
    ViewedSite,
    find_site,
)
from landyard_landing.sites.names import (
    SITE_TYPES,
    is_host,
    is_segment,
)
from landyard_landing.sites.page_references import (
    lock_referenced_pages,
)
from landyard_landing.sites.quotas import (
    require_room,
)
from landyard_landing.sites.refusals import (
    PUBLICATION_REFUSALS,
)
from landyard_landing.sites.template_texts import (
    DESCRIPTIONS,
    TITLES,
    shown_fields,
)
from landyard_landing.sites.urls import (
    RESERVED,
    Address,
    address_of,
)

__all__ = [
    "BIGGEST_ID",
    "DESCRIPTIONS",
    "DOMAIN_ID",
    "PUBLICATION_REFUSALS",
    "RESERVED",
    "SITE_TYPES",
    "TITLES",
    "Address",
    "Dates",
    "OwnHost",
    "OwnHosts",
    "Row",
    "Selecting",
    "Selection",
    "SiteQuery",
    "ViewedSite",
    "address_of",
    "filled_additional",
    "find_site",
    "free_code",
    "generate_code",
    "in_trash",
    "is_host",
    "is_segment",
    "leave_areas",
    "lock_referenced_pages",
    "lock_sites",
    "mark_areas",
    "merge_additional",
    "page_code",
    "plain_host",
    "require_room",
    "shown_fields",
    "stored_host",
    "transliterated",
]
