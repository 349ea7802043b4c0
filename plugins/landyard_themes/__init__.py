"""Themes: what sites look like, as data, and the methods that give a site one."""

from collections.abc import Iterable
from importlib.resources import files

from landyard import MethodGroup, Record, hookimpl
from landyard_landing import read_themes
from landyard_themes.methods import themes

requires = ("landing",)


@hookimpl
def register_methods() -> MethodGroup:
    return themes


@hookimpl
def register_records() -> Iterable[Record]:
    return read_themes(files("landyard_themes") / "themes")
