"""Methods for page frames and the pages in their areas: `landing.template.*`."""

from landyard import MethodGroup, hookimpl
from landyard_layouts.group import layouts

from . import getlist, references

requires = ("landing",)

__all__ = ["getlist", "references"]


@hookimpl
def register_methods() -> MethodGroup:
    return layouts
