"""The table of endpoints: addresses, the events for each, and their secrets."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from sqlalchemy import Connection, select
from sqlalchemy.orm import registry
from sqlmodel import Field, Session, SQLModel

from landyard import Moment, table_of
from landyard_webhooks.signing import new_secret


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Endpoint(Base, table=True):
    """An endpoint: its address, and its events as names or patterns, separated by spaces.

    The secret is stored in plain text, because deliveries are signed with it; until `old_until`
    they are signed with `old_secret`, too.
    """

    __tablename__ = "webhooks_endpoint"
    # An id is never reused: a waiting delivery must not go to a later endpoint.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    url: str
    events: str
    secret: str
    old_secret: str = ""
    old_until: datetime | None = Field(default=None, sa_type=Moment)
    active: bool = True
    created_at: datetime = Field(sa_type=Moment)

    def secrets(self, now: datetime) -> list[str]:
        """Return the secrets that sign a delivery at this time."""
        overlap = self.old_until is not None and self.old_until > now
        return [self.secret, self.old_secret] if overlap else [self.secret]

    def rotate(self, now: datetime, overlap: timedelta) -> None:
        """Make a new secret; the old one also signs for the time of `overlap`."""
        self.secret, self.old_secret, self.old_until = new_secret(), self.secret, now + overlap


_ROW = table_of(Endpoint).c
_ON = select(_ROW.id, _ROW.events).where(_ROW.active)


def add(session: Session, url: str, events: Sequence[str], now: datetime) -> Endpoint:
    """Add an endpoint, with a new secret."""
    added = Endpoint(url=url, events=" ".join(events), secret=new_secret(), created_at=now)
    session.add(added)
    session.flush()
    return added


def interested(connection: Connection, topic: str) -> list[int]:
    """Return the ids of active endpoints that subscribe to an event."""
    rows = connection.execute(_ON)
    return [row.id for row in rows if any(matches(topic, each) for each in row.events.split())]


def matches(topic: str, pattern: str) -> bool:
    return fnmatchcase(topic, pattern)
