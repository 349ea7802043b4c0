"""Redirects by plugins for addresses without a page."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from sqlalchemy import Connection

from landyard import Record


class Lost(Struct, frozen=True):
    """A visitor's request for an address without a page.

    `host` is the Host header as sent, "" for the service's own. `domain` is the domain of the site,
    "" for the sites without one. `path` is percent-encoded; `base` is the base URL of sites without
    a domain, see `Address.url`.
    """

    host: str
    domain: str
    path: str
    base: str


class Forwarding(Record, frozen=True):
    """A plugin's look-up of redirects, called for each address without a page.

    `find(connection, lost)` returns the new address, percent-encoded: a path, or a URL of another
    domain; "" for no redirect.
    """

    name: str
    find: Callable[[Connection, Lost], str]

    @property
    def key(self) -> str:
        return self.name


def forwarded(forwardings: Iterable[Forwarding], connection: Connection, lost: Lost) -> str:
    """Return the first redirect that a plugin finds; "" for none."""
    return next(filter(None, (each.find(connection, lost) for each in forwardings)), "")
