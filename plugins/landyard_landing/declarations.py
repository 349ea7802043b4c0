"""The plugin's start-up hooks: methods, settings, tables, jobs, routes, commands, world lists."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from landyard import Demo, Host, Job, MethodGroup, Tables, WorldList, hookimpl
from landyard_landing.blocks.settings import BlockSettings
from landyard_landing.demo import DEMO
from landyard_landing.files.store import FileSettings
from landyard_landing.operator import GROUPS
from landyard_landing.sites.quotas import PublicationSettings
from landyard_landing.sites.retention import RETENTION
from landyard_landing.sites.trash import TrashSettings
from landyard_landing.undoing import UNDO_RULES
from landyard_landing.world import LISTS


@hookimpl
def register_methods() -> Iterable[MethodGroup]:
    return GROUPS


@hookimpl
def register_settings() -> Mapping[str, type[Struct]]:
    return {
        "blocks": BlockSettings,
        "files": FileSettings,
        "publication": PublicationSettings,
        "trash": TrashSettings,
    }


@hookimpl
def register_jobs() -> Iterable[Job]:
    return [RETENTION]


@hookimpl
def register_tables() -> Tables:
    return Tables("landing", Path(__file__).parent / "migrations", UNDO_RULES)


@hookimpl
def register_world() -> Iterable[WorldList]:
    return LISTS


@hookimpl
def register_routes(host: Host) -> Iterable[object]:
    from landyard_landing.public.web import public_routes  # only servers import the web

    return public_routes(host)


@hookimpl
def register_failure_style() -> str:
    from landyard_landing.public.failing import failure_style  # only servers import pages

    return failure_style()


@hookimpl
def register_demo() -> Demo:
    return DEMO


@hookimpl
def register_commands() -> Iterable[object]:
    # Imported here: a server needs no commands.
    from landyard_landing.commands.catalogue import blocks, templates
    from landyard_landing.commands.init import init
    from landyard_landing.commands.pages import page
    from landyard_landing.commands.themes import site, theme
    from landyard_landing.commands.trash import trash

    return [init, site, page, trash, blocks, templates, theme]
