"""The methods that edit a page's draft: add, move and remove blocks; change HTML, cards, styles."""

from pathlib import Path

from landyard import MethodGroup, Tables, hookimpl
from landyard_editing.group import editing

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
    getmanifest,
    history,
    links,
    moveblock,
    removeentities,
    repository,
    sorting,
    updatecards,
    updatecontent,
    updatestyles,
    visibility,
)

requires = ("landing",)

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
    "getmanifest",
    "history",
    "links",
    "moveblock",
    "removeentities",
    "repository",
    "sorting",
    "updatecards",
    "updatecontent",
    "updatestyles",
    "visibility",
]


@hookimpl
def register_methods() -> MethodGroup:
    return editing


@hookimpl
def register_tables() -> Tables:
    return Tables("editing", Path(__file__).parent / "migrations")
