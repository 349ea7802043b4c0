"""Themes of sites: a set of themes as data, and methods to choose and adjust one."""

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
