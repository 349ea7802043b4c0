"""Methods for templates of sites and pages: register, list, preview; `landing.demos.*`."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_demos.group import demos
from landyard_demos.tables import UNDO_RULES

from . import getlist, preview, register, template_lists

requires = ("content", "landing", "public", "sitekit")

__all__ = ["getlist", "preview", "register", "template_lists"]


@hookimpl
def register_methods() -> MethodGroup:
    return demos


@hookimpl
def register_tables() -> Tables:
    return Tables("demos", Path(__file__).parent / "migrations", [UNDO_RULES])
