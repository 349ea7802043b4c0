"""Forwarding: where what visitors do not find at an address is now, as plugins know it."""

from collections.abc import Callable, Iterable

from msgspec import Struct
from sqlalchemy import Connection

from landyard import Record


class Lost(Struct, frozen=True):
    """What a visitor asked for where no page is.

    `host` is as it came, "" for the service's own. `domain` is that of the site it means, "" for
    the sites without one. `path` is percent-encoded; `base` is that of sites without a domain, see
    `Address.url`.
    """

    host: str
    domain: str
    path: str
    base: str


class Forwarding(Record, frozen=True):
    """Asked for each address where no page is.

    `find(connection, lost)` is where that is now, percent-encoded: a path, or a URL of another
    domain; "" for nowhere.
    """

    name: str
    find: Callable[[Connection, Lost], str]

    @property
    def key(self) -> str:
        return self.name


def forwarded(known: Iterable[Forwarding], connection: Connection, lost: Lost) -> str:
    """Return where a visitor is sent on to, "" for nowhere."""
    return next(filter(None, (each.find(connection, lost) for each in known)), "")
