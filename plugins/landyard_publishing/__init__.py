"""Page methods: add, publish, list, copy, restore, preview; `landing.landing.*`."""

from landyard import MethodGroup, hookimpl
from landyard_publishing.group import publishing

from . import (
    add,
    copy,
    getadditionalfields,
    getlist,
    getpreview,
    markundelete,
    publication,
    resolveidbypublicurl,
    unpublic,
)

requires = ("landing",)

__all__ = ["add", "copy", "getadditionalfields", "getlist", "getpreview", "markundelete"]
__all__ += ["publication", "resolveidbypublicurl", "unpublic"]


@hookimpl
def register_methods() -> MethodGroup:
    return publishing
