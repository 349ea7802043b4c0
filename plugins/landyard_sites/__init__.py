"""The methods of sites and folders, of frames and special pages: `landing.site.*` and others."""

from collections.abc import Iterable

from landyard import MethodGroup, hookimpl
from landyard_sites.group import site_methods
from landyard_sites.layouts import layouts
from landyard_sites.places.limits import SiteSettings
from landyard_sites.special_pages import special_pages

from . import (
    add,
    addfolder,
    bindings,
    delete,
    fromtemplate,
    fullexport,
    getadditionalfields,
    getfolders,
    getlist,
    getpreview,
    getpublicurl,
    getrights,
    markdelete,
    markfolderdelete,
    markfolderundelete,
    markundelete,
    mayadd,
    publication,
    publicationfolder,
    setrights,
    unpublic,
    unpublicfolder,
    update,
    updatefolder,
)

requires = ("content", "landing", "public", "sitekit")

__all__ = [
    "add",
    "addfolder",
    "bindings",
    "delete",
    "fromtemplate",
    "fullexport",
    "getadditionalfields",
    "getfolders",
    "getlist",
    "getpreview",
    "getpublicurl",
    "getrights",
    "markdelete",
    "markfolderdelete",
    "markfolderundelete",
    "markundelete",
    "mayadd",
    "publication",
    "publicationfolder",
    "setrights",
    "unpublic",
    "unpublicfolder",
    "update",
    "updatefolder",
]


@hookimpl
def register_settings() -> type[SiteSettings]:
    return SiteSettings


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return [site_methods, layouts, special_pages]
