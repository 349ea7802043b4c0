"""The rules and the tables of sites, folders and pages, for the plugins that bring the methods.

Each module below imports only from the modules after it.

- `undoing` has the rules by which changes of sites and pages are undone.
- `sites` finds, names, addresses and lists sites and folders.
- `rights` has the rights of a caller, and finds pages with a right.
- `events` has the events of pages, blocks, folders and sites.
- `errors` has the errors of several method groups.
- `tables`, `site_tables` and `change_tables` are the database, also of the plugin `content`.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from landyard import Tables, hookimpl
from landyard_html.sizes import TooLong
from landyard_landing.errors import TooLarge
from landyard_landing.settings import BlockSettings
from landyard_landing.sites.quotas import PublicationSettings
from landyard_landing.undoing.rules import UNDO_RULES


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {
        "blocks": BlockSettings,
        "publication": PublicationSettings,
    }


@hookimpl
def map_error(error: Exception) -> TooLarge | None:
    """Answer the limit of `landyard_html` on an edited block's HTML as the other limits."""
    return TooLarge(str(error)) if isinstance(error, TooLong) else None


@hookimpl
def register_tables() -> Tables:
    return Tables("landing", Path(__file__).parent / "migrations", UNDO_RULES)
