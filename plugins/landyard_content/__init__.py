"""The rules and the storage of pages' content, for the plugins that bring the methods.

Each module below imports only from the modules after it, and from `landing`.

- `history` has the edits of a page's draft, and undoes them.
- `pages` creates, publishes, trashes and erases pages with their content, and has their templates.
- `blocks` has the block types, and the blocks of a page's draft.
- `files` has the uploaded files, and finds what uses them.
- `words` has the service's own texts on public pages.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from landyard import Job, Record, hookimpl
from landyard_content.files.settings import FileSettings
from landyard_content.history.call_undo import UNDO_RULES
from landyard_content.pages.retention import RETENTION
from landyard_content.pages.trash import TrashSettings

requires = ("landing",)


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"files": FileSettings, "trash": TrashSettings}


@hookimpl
def register_commands() -> Iterable[object]:
    from landyard_content.commands import files  # a server needs no commands

    return [files]


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [RETENTION]


@hookimpl
def register_records() -> Iterable[Record]:
    return UNDO_RULES
