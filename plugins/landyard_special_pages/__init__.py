"""Methods for special pages of sites, such as a shop's cart: `landing.syspage.*`."""

from landyard import MethodGroup, hookimpl
from landyard_special_pages.group import special_pages

from . import deleting, get, getspecialpage, setpage

requires = ("landing",)

__all__ = ["deleting", "get", "getspecialpage", "setpage"]


@hookimpl
def register_methods() -> MethodGroup:
    return special_pages
