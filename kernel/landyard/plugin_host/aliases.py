"""Reads the former names of plugins and methods, which entry points declare."""

import functools
from collections.abc import Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

import structlog

from landyard.plugin_host.discovery import CONTRIB, GROUP, HOST

ALIASES = "landyard.aliases"
"""The entry-point group: each former name, with the current name of a plugin or a method."""

log = structlog.get_logger()


@functools.cache
def aliases() -> Mapping[str, str]:
    """Map each former name, in lower case, to the current one; read once in a process.

    The name of an installed plugin is no alias. Landyard's aliases win over those of other
    packages.
    """
    installed = entry_points()
    plugins = {
        each.name.lower() for group in (GROUP, CONTRIB) for each in installed.select(group=group)
    }
    named = sorted(
        installed.select(group=ALIASES),
        key=lambda it: it.dist is not None and it.dist.name == HOST,
    )
    current = {each.name.lower(): each.value for each in named}
    return MappingProxyType({name: it for name, it in current.items() if name not in plugins})


def current_name(name: str) -> str:
    """Return the current name for a former one, which is logged; any other name is returned."""
    current = aliases().get(name.lower())
    if current is None:
        return name
    _log_once(name.lower(), current)
    return current


def former_names(current: str) -> list[str]:
    """List the former names of a plugin or a method, in lower case."""
    return [name for name, each in aliases().items() if each == current]


@functools.cache
def _log_once(old: str, new: str) -> None:
    log.warning("plugin_renamed", old=old, new=new)
