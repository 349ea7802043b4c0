"""The table of endpoints: addresses, the events for each, and their secrets."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from msgspec import Struct, structs
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Integer,
    String,
    Table,
    delete,
    insert,
    select,
    update,
)

from landyard import METADATA, Moment
from landyard_webhooks.signing import new_secret


class Endpoint(Struct, frozen=True):
    """An endpoint: its address, and its events as names or patterns, separated by spaces.

    The secret is stored in plain text, because deliveries are signed with it; until `old_until`
    they are signed with `old_secret`, too.
    """

    id: int
    url: str
    events: str
    secret: str
    old_secret: str
    old_until: datetime | None
    active: bool
    created_at: datetime

    def secrets(self, now: datetime) -> list[str]:
        """Return the secrets that sign a delivery at this time."""
        overlap = self.old_until is not None and self.old_until > now
        return [self.secret, self.old_secret] if overlap else [self.secret]


LISTED = ("id", "url", "events", "active", "created_at")
ENDPOINT = Table(
    "webhooks_endpoint",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("url", String, nullable=False),
    Column("events", String, nullable=False),
    Column("secret", String, nullable=False),
    Column("old_secret", String, nullable=False, default=""),
    Column("old_until", Moment),
    Column("active", Boolean, nullable=False, default=True),
    Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,  # a waiting delivery must not go to a later endpoint of the same id
)
_ROW = ENDPOINT.c
_ON = select(_ROW.id, _ROW.events).where(_ROW.active)


def add(connection: Connection, url: str, events: Sequence[str], now: datetime) -> Endpoint:
    """Add an endpoint, with a new secret."""
    row = {"url": url, "events": " ".join(events), "secret": new_secret(), "created_at": now}
    inserted = connection.execute(insert(ENDPOINT).values(row).returning(*_ROW))
    return Endpoint(*inserted.one())


def find(connection: Connection, endpoint_id: int) -> Endpoint | None:
    row = connection.execute(select(*_ROW).where(_ROW.id == endpoint_id)).first()
    return Endpoint(*row) if row else None


def interested(connection: Connection, topic: str) -> list[int]:
    """Return the ids of active endpoints that subscribe to an event."""
    rows = connection.execute(_ON)
    return [row.id for row in rows if any(matches(topic, each) for each in row.events.split())]


def matches(topic: str, pattern: str) -> bool:
    return fnmatchcase(topic, pattern)


def rotate(
    connection: Connection, endpoint: Endpoint, now: datetime, overlap: timedelta
) -> Endpoint:
    """Store and return a new secret; the old one also signs for the time of `overlap`."""
    secrets = {"secret": new_secret(), "old_secret": endpoint.secret, "old_until": now + overlap}
    connection.execute(update(ENDPOINT).where(_ROW.id == endpoint.id).values(secrets))
    return structs.replace(endpoint, **secrets)


def switch(connection: Connection, endpoint_id: int, *, on: bool) -> None:
    connection.execute(update(ENDPOINT).where(_ROW.id == endpoint_id).values(active=on))


def remove(connection: Connection, endpoint_id: int) -> None:
    connection.execute(delete(ENDPOINT).where(_ROW.id == endpoint_id))
