"""Whole HTML from outside: made inert, without frames that the service refuses (H1, H3)."""

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
    """A `Call` or the `Loader` of a world file: each brings HTML, and knows the settings."""

    @property
    def connection(self) -> Connection: ...
    @property
    def settings(self) -> Sections: ...
    @property
    def records(self) -> "Callable[[type[Any]], Mapping[str, Any]]": ...


def clean_html(asking: Asking, html: str) -> str:
    """Make whole HTML inert, and take the frames out whose host the service refuses."""
    return without_refused(clean_block(html), lambda: rules_for(asking))


def rules_for(asking: Asking) -> Rules:
    """Return what a call or a world file may embed."""
    return rules_of(asking.connection, asking.settings, asking.records)


def rules_of(
    connection: Connection,
    sections: Sections,
    records: "Callable[[type[Any]], Mapping[str, Any]]",
) -> Rules:
    """Return what pages may embed: no host of the service's own, and only those in the settings."""
    settings = sections(BlockSettings)
    hosts = frozenset(settings.embed_hosts) or None
    return Rules(own_hosts_with(connection, sections, records), hosts, settings.characters)
