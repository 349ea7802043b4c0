"""Sanitises the HTML of whole blocks, and removes frames of refused hosts (H1, H3)."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection

from landyard_landing.blocks.settings import BlockSettings
from landyard_landing.html.embeds import without_refused
from landyard_landing.html.policy import clean_block
from landyard_landing.html.values import Rules
from landyard_landing.sites.hosts import Sections
from landyard_landing.sites.urls import own_hosts_with


class Asking(Protocol):
    """A `Call` or the `Loader` of a world file: both have a connection and settings."""

    @property
    def connection(self) -> Connection: ...
    @property
    def settings(self) -> Sections: ...
    @property
    def records(self) -> "Callable[[type[Any]], Mapping[str, Any]]": ...


def clean_html(asking: Asking, html: str) -> str:
    """Sanitise the HTML of a whole block, and remove frames whose host the service refuses."""
    return without_refused(clean_block(html), lambda: rules_for(asking))


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
