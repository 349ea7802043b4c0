"""Sites and folders: found with the caller's rights, named, addressed, listed, limited."""

from landyard_landing.sites.additional_fields import (
    filled_additional,
    merge_additional,
)
from landyard_landing.sites.advisory_lock import (
    take_turn,
)
from landyard_landing.sites.areas import (
    leave_areas,
    mark_areas,
)
from landyard_landing.sites.codes import (
    BIGGEST_ID,
    LockedSite,
    free_code,
    generate_code,
    in_trash,
    is_taken,
    lock_site,
    lock_sites,
    require_code,
    transliterated,
)
from landyard_landing.sites.dates import (
    read_moment,
    write_moment,
)
from landyard_landing.sites.hosts import (
    OwnHost,
    OwnHosts,
    Sections,
    own_hosts_of,
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
    SITES,
    THIS_SITE,
    SeenSite,
    find_site,
    find_site_with,
)
from landyard_landing.sites.names import (
    SITE_TYPES,
    is_host,
    is_segment,
)
from landyard_landing.sites.page_references import (
    hold_named,
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
    of_template,
    shown_fields,
)
from landyard_landing.sites.urls import (
    RESERVED,
    Address,
    address_of,
    find_address,
    own_hosts_with,
)

__all__ = [
    "BIGGEST_ID",
    "DESCRIPTIONS",
    "DOMAIN_ID",
    "PUBLICATION_REFUSALS",
    "RESERVED",
    "SITES",
    "SITE_TYPES",
    "THIS_SITE",
    "TITLES",
    "Address",
    "LockedSite",
    "OwnHost",
    "OwnHosts",
    "Row",
    "Sections",
    "SeenSite",
    "Selecting",
    "Selection",
    "address_of",
    "filled_additional",
    "find_address",
    "find_site",
    "find_site_with",
    "free_code",
    "generate_code",
    "hold_named",
    "in_trash",
    "is_host",
    "is_segment",
    "is_taken",
    "leave_areas",
    "lock_site",
    "lock_sites",
    "mark_areas",
    "merge_additional",
    "of_template",
    "own_hosts_of",
    "own_hosts_with",
    "plain_host",
    "read_moment",
    "require_code",
    "require_room",
    "shown_fields",
    "stored_host",
    "take_turn",
    "transliterated",
    "write_moment",
]
