"""The table of events on feeds, from which reconnecting listeners get missed events."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Integer
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class FeedEvent(Base, table=True):
    """An event on a feed; ids are in the order of commits."""

    __tablename__ = "feed_told"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    feed: str
    topic: str
    body: str
    at: datetime = Field(index=True, sa_type=Moment)


FEED_EVENT = table_of(FeedEvent)
