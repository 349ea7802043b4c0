"""The rights on sites, and the look-up of pages with the caller's rights."""

from landyard_landing.rights.access_codes import (
    read_rights,
    rights_of_user,
    users_of_codes,
    write_rights,
)
from landyard_landing.rights.held_pages import (
    HeldPage,
    Place,
    hold_page,
)
from landyard_landing.rights.pages import PageQuery, ViewedPage, find_page, find_pages
from landyard_landing.rights.site_rights import (
    Right,
    require_access,
    site_types,
    viewed,
    viewing,
)

__all__ = [
    "HeldPage",
    "PageQuery",
    "Place",
    "Right",
    "ViewedPage",
    "find_page",
    "find_pages",
    "hold_page",
    "read_rights",
    "require_access",
    "rights_of_user",
    "site_types",
    "users_of_codes",
    "viewed",
    "viewing",
    "write_rights",
]
