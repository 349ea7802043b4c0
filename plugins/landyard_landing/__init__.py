"""Landing: sites, pages and blocks, as data with rules, for the plugins that bring their methods.

From the top: each module below imports from those after it only.

- `history`: the edits of a page's draft, and undoing them;
- `pages`: pages created, published, trashed, erased, and the templates they are made from;
- `blocks`: block types, and the blocks of a page's draft;
- `files`: uploaded files, and what uses them;
- `sites`: sites and folders: found, named, addressed, listed;
- `rights`: what a caller may do, and pages found with that right;
- `events`: what is published when a page, block, folder or site changes;
- `errors`: the errors that several method groups raise;
- `tables`, `site_tables`, `change_tables`: the database.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from landyard import Job, Tables, hookimpl
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
def register_jobs() -> Iterable[Job]:
    return [RETENTION]


@hookimpl
def register_tables() -> Tables:
    return Tables("landing", Path(__file__).parent / "migrations", UNDO_RULES)
