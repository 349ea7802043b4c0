"""A contact list, as a plugin of Landyard: its hook implementations."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from msgspec import Struct

from landyard_contacts.methods import group
from landyard_contacts.settings import ContactsSettings


@hookimpl
def register_methods() -> MethodGroup:
    return group


@hookimpl
def register_tables() -> Tables:
    return Tables("contacts", Path(__file__).parent / "migrations")


@hookimpl
def register_settings() -> type[Struct]:
    return ContactsSettings
