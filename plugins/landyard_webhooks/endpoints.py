"""Endpoints: the addresses that events are delivered to, and which events each has asked for."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from sqlalchemy import Connection, select, update
from sqlmodel import Field, Session, SQLModel

from landyard import Moment, table_of
from landyard_webhooks.signing import new_secret


class Endpoint(SQLModel, table=True):
    """An address, and the events that go there: names or patterns, separated by spaces.

    The secret is kept as it is, for deliveries are signed with it; `old_secret` signs them as well
    until `old_until`.
    """

    __tablename__ = "webhooks_endpoint"
    # What waits for one that was removed must not go to another.
    __table_args__ = ({"sqlite_autoincrement": True, "info": {"undo": "refused"}},)

    id: int | None = Field(default=None, primary_key=True)
    url: str
    events: str
    secret: str
    old_secret: str = ""
    old_until: datetime | None = Field(default=None, sa_type=Moment)
    active: bool = True
    created_at: datetime = Field(sa_type=Moment)

    def secrets(self, now: datetime) -> list[str]:
        """Return what a delivery is signed with."""
        overlap = self.old_until is not None and self.old_until > now
        return [self.secret, self.old_secret] if overlap else [self.secret]


LISTED = ("id", "url", "events", "active", "created_at")
_TABLE = table_of(Endpoint)
_ROW = _TABLE.c
_ON = select(_ROW.id, _ROW.events).where(_ROW.active)


def add(session: Session, url: str, events: Sequence[str], now: datetime) -> Endpoint:
    """Add an endpoint, with a new secret."""
    made = Endpoint(url=url, events=" ".join(events), secret=new_secret(), created_at=now)
    session.add(made)
    session.flush()
    return made


def interested(connection: Connection, topic: str) -> list[int]:
    """List the endpoints that are on and have asked for an event."""
    rows = connection.execute(_ON)
    return [row.id for row in rows if any(matches(topic, each) for each in row.events.split())]


def matches(topic: str, pattern: str) -> bool:
    return fnmatchcase(topic, pattern)


def rotate(endpoint: Endpoint, now: datetime, overlap: timedelta) -> None:
    """Give an endpoint a new secret; the old one signs as well for a while."""
    endpoint.old_secret, endpoint.old_until = endpoint.secret, now + overlap
    endpoint.secret = new_secret()


def switch_off(connection: Connection, endpoint_id: int) -> None:
    connection.execute(update(_TABLE).where(_ROW.id == endpoint_id).values(active=False))
