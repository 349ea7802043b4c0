"""The special pages of sites, such as a shop's cart: `landing.syspage.*`."""

from landyard_sites.special_pages import deleting, get, getspecialpage, setpage
from landyard_sites.special_pages.group import special_pages

__all__ = ["deleting", "get", "getspecialpage", "setpage", "special_pages"]
