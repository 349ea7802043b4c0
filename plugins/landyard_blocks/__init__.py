"""The methods of blocks: `landing.block.*`, and those of a draft's blocks, `landing.landing.*`."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_blocks.group import block_methods

from . import (
    addblock,
    authors,
    cards,
    changeanchor,
    changenodename,
    copyblock,
    deleteblock,
    deletion_marks,
    favoriteblock,
    getbyid,
    getcontent,
    getlist,
    getmanifest,
    history,
    links,
    moveblock,
    removecard,
    removeentities,
    repository,
    sorting,
    updateattrs,
    updatecards,
    updatecontent,
    updatenodes,
    updatestyles,
    visibility,
)

requires = ("content", "landing")

__all__ = [
    "addblock",
    "authors",
    "cards",
    "changeanchor",
    "changenodename",
    "copyblock",
    "deleteblock",
    "deletion_marks",
    "favoriteblock",
    "getbyid",
    "getcontent",
    "getlist",
    "getmanifest",
    "history",
    "links",
    "moveblock",
    "removecard",
    "removeentities",
    "repository",
    "sorting",
    "updateattrs",
    "updatecards",
    "updatecontent",
    "updatenodes",
    "updatestyles",
    "visibility",
]


@hookimpl
def register_methods() -> MethodGroup:
    return block_methods


@hookimpl
def register_tables() -> Tables:
    return Tables("editing", Path(__file__).parent / "migrations")
