"""Methods for sites and their folders: `landing.site.*`."""

from landyard import MethodGroup, hookimpl
from landyard_sites.group import sites
from landyard_sites.places.limits import SiteSettings

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

requires = ("landing",)

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
def register_methods() -> MethodGroup:
    return sites
