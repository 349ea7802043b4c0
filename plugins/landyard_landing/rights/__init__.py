"""The rights of a caller, and pages found with a right."""

from landyard_landing.rights.access_codes import (
    read_rights,
    rights_of_user,
    users_of_codes,
    wire_rights,
)
from landyard_landing.rights.held_pages import HeldPage, Place, hold_page
from landyard_landing.rights.pages import (
    ALL_RIGHTS,
    OPEN_TYPES,
    Right,
    SeenPage,
    find_page,
    find_page_with,
    find_pages,
    may,
    page_with,
    require_access,
    rights_of,
    site_types,
    viewed,
    viewing,
    visible,
    with_rights,
)

__all__ = [
    "ALL_RIGHTS",
    "OPEN_TYPES",
    "HeldPage",
    "Place",
    "Right",
    "SeenPage",
    "find_page",
    "find_page_with",
    "find_pages",
    "hold_page",
    "may",
    "page_with",
    "read_rights",
    "require_access",
    "rights_of",
    "rights_of_user",
    "site_types",
    "users_of_codes",
    "viewed",
    "viewing",
    "visible",
    "wire_rights",
    "with_rights",
]
