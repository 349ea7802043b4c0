"""What the landing groups share: tables, rights, drafts and publication, block HTML, public pages.

This is what the plugins that require `landing` import.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from landyard import Demo, Kernel, Tables, WorldList, hookimpl
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
from landyard_landing.demo import DEMO
from landyard_landing.errors import AccessDenied, BlockNotFound, LandingNotExist
from landyard_landing.history import Draft, Params
from landyard_landing.nodes import Edited, Rules, WrongValue, update_nodes
from landyard_landing.pages import SeenPage, find_page, find_pages
from landyard_landing.rights import Right
from landyard_landing.urls import own_hosts
from landyard_landing.world import LISTS
from landyard_landing.wrapping import wrap_draft, wrap_public

if TYPE_CHECKING:
    import click

__all__ = [
    "AccessDenied",
    "BlockNotFound",
    "BlockType",
    "Draft",
    "Edited",
    "LandingNotExist",
    "ListedBlock",
    "Params",
    "Right",
    "Rules",
    "SeenPage",
    "WrongValue",
    "count_blocks",
    "find_draft",
    "find_page",
    "find_pages",
    "list_blocks",
    "own_hosts",
    "read_types",
    "safe_content",
    "save_draft",
    "stored_draft",
    "update_nodes",
    "wrap_draft",
    "wrap_public",
]


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
    from landyard_landing.commands import page  # a server needs no words

    return [page]
