"""Methods for registered blocks and widgets: `landing.repo.*` and `landing.repowidget.*`."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_repository.group import repository
from landyard_repository.tables import UNDO_RULES

from . import checkcontent, getlist, register, unbind, unregister, widgets

requires = ("content", "landing")

__all__ = ["checkcontent", "getlist", "register", "unbind", "unregister", "widgets"]


@hookimpl
def register_methods() -> MethodGroup:
    return repository


@hookimpl
def register_tables() -> Tables:
    return Tables("repository", Path(__file__).parent / "migrations", [UNDO_RULES])
