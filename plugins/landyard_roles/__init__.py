"""Methods for roles, which give users further rights on sites: `landing.role.*`."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_roles.group import roles
from landyard_undo.rules import refused

from . import changing, reading

requires = ("landing",)

__all__ = ["changing", "reading"]


@hookimpl
def register_methods() -> MethodGroup:
    return roles


@hookimpl
def register_tables() -> Tables:
    return Tables(
        "roles", Path(__file__).parent / "migrations", refused("roles_role", "roles_state")
    )
