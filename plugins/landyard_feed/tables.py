"""The table of what was told on a feed, which whoever comes back hears first."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Integer
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class ToldRow(SQLModel, table=True):
    """An event on a feed; the order of the ids is that of commits."""

    __tablename__ = "feed_told"
    __table_args__ = ({"sqlite_autoincrement": True, "info": {"undo": "never"}},)

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    feed: str
    topic: str
    body: str
    at: datetime = Field(sa_type=Moment, index=True)


TOLD = table_of(ToldRow)
