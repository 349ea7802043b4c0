"""Pages, blocks, rights, files and public delivery: what plugins that require `landing` import."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from landyard import Demo, Job, Kernel, Tables, WorldList, hookimpl
from landyard_landing.blocks.blocktypes import BlockType, read_types
from landyard_landing.blocks.creation import CreatedPage, Overrides, create_page
from landyard_landing.blocks.drafts import (
    ListedBlock,
    count_blocks,
    list_blocks,
    open_draft,
    safe_content,
    save_draft,
    stored_draft,
)
from landyard_landing.blocks.folders import read_block_types
from landyard_landing.blocks.menu_entries import add_to_main_menu, add_to_menu
from landyard_landing.blocks.publication import publish
from landyard_landing.blocks.templates import PageTemplate, find_template
from landyard_landing.blocks.wrapping import wrap_draft, wrap_public
from landyard_landing.demo import DEMO
from landyard_landing.errors import (
    AccessDenied,
    BlockNotFound,
    CantBeEmpty,
    FolderNotFound,
    LandingNotExist,
    SlashIsNotAllowed,
    WrongCodeFormat,
)
from landyard_landing.events import (
    BlockEdited,
    PageChanged,
    PageCreated,
    PageDeleted,
    PageEvent,
    PageMoved,
    PagePublished,
    PageRestored,
    PageTrashed,
    PageUnpublished,
    announce,
)
from landyard_landing.files.records import (
    KeptFile,
    NewFile,
    file_store,
    find_target,
    remove_temporary,
    save_file,
    use_files_of,
)
from landyard_landing.files.store import FileSettings
from landyard_landing.html.attributes import HOSTED, update_attributes
from landyard_landing.html.cards import remove_card
from landyard_landing.html.node_types import NodeElement, NodeType
from landyard_landing.html.nodes import Edited, update_nodes
from landyard_landing.html.values import Rules, WrongValue
from landyard_landing.sites.codes import generate_code, require_code
from landyard_landing.sites.pages import Right, SeenPage, find_page, find_pages
from landyard_landing.sites.places import HeldPage, Place, hold_page, put_page, save_page
from landyard_landing.sites.sites import (
    SeenSite,
    find_element,
    find_site,
    has_folder,
    is_needed_main,
)
from landyard_landing.sites.trash import (
    RETENTION,
    TrashSettings,
    erase_pages,
    restore_page,
    trash_page,
)
from landyard_landing.sites.urls import address_of, find_address, own_hosts
from landyard_landing.world import LISTS

if TYPE_CHECKING:
    import click

__all__ = [
    "HOSTED",
    "AccessDenied",
    "BlockEdited",
    "BlockNotFound",
    "BlockType",
    "CantBeEmpty",
    "CreatedPage",
    "Edited",
    "FolderNotFound",
    "HeldPage",
    "KeptFile",
    "LandingNotExist",
    "ListedBlock",
    "NewFile",
    "NodeElement",
    "NodeType",
    "Overrides",
    "PageChanged",
    "PageCreated",
    "PageDeleted",
    "PageEvent",
    "PageMoved",
    "PagePublished",
    "PageRestored",
    "PageTemplate",
    "PageTrashed",
    "PageUnpublished",
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
    "announce",
    "count_blocks",
    "create_page",
    "erase_pages",
    "file_store",
    "find_address",
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
    "open_draft",
    "own_hosts",
    "publish",
    "put_page",
    "read_block_types",
    "read_types",
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
    "update_attributes",
    "update_nodes",
    "use_files_of",
    "wrap_draft",
    "wrap_public",
]


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {"files": FileSettings, "trash": TrashSettings}


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
    from landyard_landing.public.web import public_routes  # the web is for servers

    return public_routes(kernel)


@hookimpl
def register_failure_style() -> str:
    from landyard_landing.public.failing import failure_style  # pages are for servers

    return failure_style()


@hookimpl
def register_demo() -> Demo:
    return DEMO


@hookimpl
def register_commands() -> "Iterable[click.Command]":
    # A server needs no words.
    from landyard_landing.commands.catalogue import blocks, templates
    from landyard_landing.commands.init import init
    from landyard_landing.commands.pages import page
    from landyard_landing.commands.sites import site
    from landyard_landing.commands.trash import trash

    return [init, site, page, trash, blocks, templates]
