"""Templates of sites and pages that calls register: `landing.demos.*`."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_demos.group import demos
from landyard_demos.tables import UNDO_RULES

from . import getlist, offered, preview, register

requires = ("landing",)

__all__ = ["getlist", "offered", "preview", "register"]


@hookimpl
def register_methods() -> MethodGroup:
    return demos


@hookimpl
def register_tables() -> Tables:
    return Tables("demos", Path(__file__).parent / "migrations", [UNDO_RULES])
