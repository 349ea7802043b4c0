"""Page methods: make from a template, update, move, delete, address; `landing.landing.*`."""

from landyard import MethodGroup, hookimpl
from landyard_pages.group import pages

from . import addbytemplate, delete, getpublicurl, markdelete, move, update

requires = ("landing",)

__all__ = ["addbytemplate", "delete", "getpublicurl", "markdelete", "move", "update"]


@hookimpl
def register_methods() -> MethodGroup:
    return pages
