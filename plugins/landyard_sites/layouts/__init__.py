"""Frames of pages, and the pages shown in their areas: `landing.template.*`."""

from landyard_sites.layouts import getlist, references
from landyard_sites.layouts.group import layouts

__all__ = ["getlist", "layouts", "references"]
