"""Sanitises the HTML of whole blocks, and removes frames of refused hosts (H1, H3)."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection

from landyard_html.values import Rules
from landyard_landing.settings import BlockSettings
from landyard_landing.sites import Sections, own_hosts_with


class Asking(Protocol):
    """A `Call` or the `Loader` of a world file: both have a connection and settings."""

    @property
    def connection(self) -> Connection: ...
    @property
    def settings(self) -> Sections: ...
    @property
    def records(self) -> "Callable[[type[Any]], Mapping[str, Any]]": ...


def rules_for(asking: Asking) -> Rules:
    """Return the `Rules` for values and frames of a call or a world file."""
    return rules_of(asking.connection, asking.settings, asking.records)


def rules_of(
    connection: Connection,
    sections: Sections,
    records: "Callable[[type[Any]], Mapping[str, Any]]",
) -> Rules:
    """Return the `Rules` of the settings: frames of listed hosts, none of the service's own."""
    settings = sections(BlockSettings)
    hosts = frozenset(settings.embed_hosts) or None
    return Rules(own_hosts_with(connection, sections, records), hosts, settings.characters)
