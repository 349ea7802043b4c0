"""Answers visitors with pages, files, site maps and feeds, in the theme of their site."""

from collections.abc import Iterable
from importlib.resources import files

from landyard import Host, MethodGroup, Record, hookimpl
from landyard_public.edge_tags import PublicSettings
from landyard_public.themes.folders import read_themes
from landyard_public.themes.methods import theme_methods

requires = ("content", "landing")


@hookimpl
def register_methods() -> MethodGroup:
    return theme_methods


@hookimpl
def register_settings() -> type[PublicSettings]:
    return PublicSettings


@hookimpl
def register_records() -> Iterable[Record]:
    return read_themes(files("landyard_public") / "themes" / "shipped")


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_public.web import public_routes  # the web is for servers

    return public_routes(host)


@hookimpl
def register_failure_style() -> str:
    from landyard_public.failure_pages import failure_style  # pages are for servers

    return failure_style()
