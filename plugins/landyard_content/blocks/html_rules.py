"""Collects the `Rules` for blocks' HTML: the hosts that frames may show, and the size (H3)."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from sqlalchemy import Connection, select

from landyard import Prepared, Settings
from landyard_html.values import Rules
from landyard_landing.settings import BlockSettings
from landyard_landing.sites import OwnHost, OwnHosts
from landyard_landing.tables import SITE

Sections = Callable[[type[Any]], Any]
"""Finds settings by their type, as `Call.settings` and `Host.section` do."""
Records = Callable[[type[Any]], Mapping[str, Any]]
"""Finds records by their type, as `Call.records` and `Host.records` do."""
_DOMAINS = Prepared(select(SITE.domain).where(SITE.domain.is_not(None)))


class Asking(Protocol):
    """A `Call` or the `Loader` of a world file: both have a connection and settings."""

    @property
    def connection(self) -> Connection: ...
    @property
    def settings(self) -> Sections: ...
    @property
    def records(self) -> Records: ...


def rules_for(asking: Asking) -> Rules:
    """Return the `Rules` for values and frames of a call or a world file."""
    return rules_of(asking.connection, asking.settings, asking.records)


def rules_of(connection: Connection, sections: Sections, records: Records) -> Rules:
    """Return the `Rules` of the settings: frames of listed hosts, none of the service's own."""
    settings = sections(BlockSettings)
    hosts = frozenset(settings.embed_hosts) or None
    return Rules(_own_hosts(connection, sections, records), hosts, settings.characters)


def _own_hosts(connection: Connection, sections: Sections, records: Records) -> frozenset[str]:
    """Collect the hosts of the service and of its sites; no frame may come from one."""
    base = urlsplit(sections(Settings).base).netloc
    own = OwnHosts.of(sections, records(OwnHost).values())
    domains = [domain for (domain,) in _DOMAINS.all(connection)]
    return frozenset({base.lower(), *own.names, *domains} - {""})
