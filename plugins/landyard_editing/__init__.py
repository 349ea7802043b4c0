"""The methods that edit a page's draft: blocks added, moved, removed; their HTML, cards, styles."""

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
    favoriteblock,
    getbyid,
    getcontent,
    getmanifest,
    history,
    links,
    marking,
    moveblock,
    removeentities,
    repository,
    showing,
    sorting,
    updatecards,
    updatecontent,
    updatestyles,
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
    "favoriteblock",
    "getbyid",
    "getcontent",
    "getmanifest",
    "history",
    "links",
    "marking",
    "moveblock",
    "removeentities",
    "repository",
    "showing",
    "sorting",
    "updatecards",
    "updatecontent",
    "updatestyles",
]


@hookimpl
def register_methods() -> MethodGroup:
    return editing


@hookimpl
def register_tables() -> Tables:
    return Tables("editing", Path(__file__).parent / "migrations")
