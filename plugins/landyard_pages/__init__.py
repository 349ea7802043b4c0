"""The methods of pages: `landing.landing.*`, but for those of a draft's blocks."""

from landyard import MethodGroup, hookimpl
from landyard_pages.group import page_methods

from . import (
    add,
    addbytemplate,
    copy,
    delete,
    getadditionalfields,
    getlist,
    getpreview,
    getpublicurl,
    markdelete,
    markundelete,
    move,
    publication,
    resolveidbypublicurl,
    unpublic,
    update,
)

requires = ("content", "landing", "public")

__all__ = [
    "add",
    "addbytemplate",
    "copy",
    "delete",
    "getadditionalfields",
    "getlist",
    "getpreview",
    "getpublicurl",
    "markdelete",
    "markundelete",
    "move",
    "publication",
    "resolveidbypublicurl",
    "unpublic",
    "update",
]


@hookimpl
def register_methods() -> MethodGroup:
    return page_methods
