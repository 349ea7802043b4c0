"""The operator's tools for sites: world files, imports and exports, commands, the demo."""

from collections.abc import Iterable

from landyard import Demo, MethodGroup, WorldList, hookimpl
from landyard_sitekit.demo import DEMO
from landyard_sitekit.operator import GROUPS
from landyard_sitekit.world import LISTS

requires = ("content", "landing", "public")


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return GROUPS


@hookimpl
def register_world() -> Iterable[WorldList]:
    return LISTS


@hookimpl
def register_demo() -> Demo:
    return DEMO


@hookimpl
def register_commands() -> Iterable[object]:
    # A server needs no commands.
    from landyard_sitekit.commands.catalogue import blocks, templates
    from landyard_sitekit.commands.init import init
    from landyard_sitekit.commands.pages import page
    from landyard_sitekit.commands.themes import site, theme
    from landyard_sitekit.commands.trash import trash

    return [init, site, page, trash, blocks, templates, theme]
