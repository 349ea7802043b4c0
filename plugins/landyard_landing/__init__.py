"""What the landing groups share: tables, rights, drafts and publication, block HTML, public pages.

This is what the plugins that require `landing` import.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard import Demo, Job, Kernel, Tables, WorldList, hookimpl
from landyard_landing.attributes import HOSTED, update_attributes
from landyard_landing.blocks import (
    ListedBlock,
    count_blocks,
    find_draft,
    list_blocks,
    safe_content,
    save_draft,
    stored_draft,
)
from landyard_landing.blocktypes import BlockType, read_types
from landyard_landing.cards import remove_card
from landyard_landing.codes import generate_code, require_code
from landyard_landing.creation import CreatedPage, Overrides, create_page
from landyard_landing.demo import DEMO
from landyard_landing.elements import find_element
from landyard_landing.errors import (
    AccessDenied,
    BlockNotFound,
    CantBeEmpty,
    FolderNotFound,
    LandingNotExist,
    SlashIsNotAllowed,
    WrongCodeFormat,
)
from landyard_landing.files import (
    FILE_TYPES,
    KeptFile,
    NewFile,
    file_store,
    find_target,
    remove_temporary,
    save_file,
    use_files_of,
)
from landyard_landing.history import Draft, Edit, HistoryConflict, Params, redo, undo
from landyard_landing.menu_entries import add_to_main_menu, add_to_menu, entry_for
from landyard_landing.nodes import Edited, Rules, WrongValue, update_nodes
from landyard_landing.pages import (
    HeldPage,
    SeenPage,
    find_page,
    find_pages,
    hold_page,
    save_page,
)
from landyard_landing.places import Place, place_of, put_page
from landyard_landing.publication import publish
from landyard_landing.retention import RETENTION, TrashSettings
from landyard_landing.rights import Right
from landyard_landing.sites import SeenSite, find_site, has_folder, is_needed_main
from landyard_landing.templates import PageTemplate, find_template
from landyard_landing.trash import erase_pages, restore_page, trash_page
from landyard_landing.urls import address_of, own_hosts
from landyard_landing.world import LISTS
from landyard_landing.wrapping import wrap_draft, wrap_public

if TYPE_CHECKING:
    import click

__all__ = [
    "FILE_TYPES",
    "HOSTED",
    "AccessDenied",
    "BlockNotFound",
    "BlockType",
    "CantBeEmpty",
    "CreatedPage",
    "Draft",
    "Edit",
    "Edited",
    "FolderNotFound",
    "HeldPage",
    "HistoryConflict",
    "KeptFile",
    "LandingNotExist",
    "ListedBlock",
    "NewFile",
    "Overrides",
    "PageTemplate",
    "Params",
    "Place",
    "Right",
    "Rules",
    "SeenPage",
    "SeenSite",
    "SlashIsNotAllowed",
    "WrongCodeFormat",
    "WrongValue",
    "add_to_main_menu",
    "add_to_menu",
    "address_of",
    "count_blocks",
    "create_page",
    "entry_for",
    "erase_pages",
    "file_store",
    "find_draft",
    "find_element",
    "find_page",
    "find_pages",
    "find_site",
    "find_target",
    "find_template",
    "generate_code",
    "has_folder",
    "hold_page",
    "is_needed_main",
    "list_blocks",
    "own_hosts",
    "place_of",
    "publish",
    "put_page",
    "read_types",
    "redo",
    "remove_card",
    "remove_temporary",
    "require_code",
    "restore_page",
    "safe_content",
    "save_draft",
    "save_file",
    "save_page",
    "stored_draft",
    "trash_page",
    "undo",
    "update_attributes",
    "update_nodes",
    "use_files_of",
    "wrap_draft",
    "wrap_public",
]


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"trash": TrashSettings}


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [RETENTION]


@hookimpl
def register_tables() -> Tables:
    return Tables("landing", Path(__file__).parent / "migrations")


@hookimpl
def register_world() -> Iterable[WorldList]:
    return LISTS


@hookimpl
def register_routes(kernel: Kernel) -> Iterable[object]:
    from landyard_landing.web import public_routes  # the web is for servers

    return public_routes(kernel)


@hookimpl
def register_demo() -> Demo:
    return DEMO


@hookimpl
def register_commands() -> "Iterable[click.Command]":
    # A server needs no words.
    from landyard_landing.catalogue_commands import blocks, templates
    from landyard_landing.commands import page
    from landyard_landing.trash_commands import trash

    return [page, trash, blocks, templates]
