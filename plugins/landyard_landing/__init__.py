"""Landing: sites, pages and blocks, as data with rules, for the plugins that bring their methods.

Each module below imports only from the modules after it.

- `history` has the edits of a page's draft, and undoes them.
- `pages` creates, publishes, trashes and erases pages, and has their templates.
- `blocks` has the block types, and the blocks of a page's draft.
- `files` has the uploaded files, and finds what uses them.
- `sites` finds, names, addresses and lists sites and folders.
- `rights` has the rights of a caller, and finds pages with a right.
- `events` has the events of pages, blocks, folders and sites.
- `errors` has the errors of several method groups.
- `tables`, `site_tables` and `change_tables` are the database.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from landyard import Job, Tables, hookimpl
from landyard_html.sizes import TooLong
from landyard_landing.errors import TooLarge
from landyard_landing.files.store import FileSettings
from landyard_landing.history.undoing import UNDO_RULES
from landyard_landing.pages.retention import RETENTION
from landyard_landing.pages.trash import TrashSettings
from landyard_landing.settings import BlockSettings
from landyard_landing.sites.quotas import PublicationSettings


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {
        "blocks": BlockSettings,
        "files": FileSettings,
        "publication": PublicationSettings,
        "trash": TrashSettings,
    }


@hookimpl
def map_error(error: Exception) -> TooLarge | None:
    """Answer the limit of `landyard_html` on an edited block's HTML as the other limits."""
    return TooLarge(str(error)) if isinstance(error, TooLong) else None


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [RETENTION]


@hookimpl
def register_tables() -> Tables:
    return Tables("landing", Path(__file__).parent / "migrations", UNDO_RULES)
