"""The table of events on feeds, from which reconnecting listeners get missed events."""

from typing import Any

from sqlalchemy import BigInteger, Column, Integer, String, Table

from landyard import METADATA, Moment

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


FEED_EVENT = Table(
    "feed_told",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("feed", String, nullable=False),
    Column("topic", String, nullable=False),
    Column("body", String, nullable=False),
    Column("at", Moment, nullable=False, index=True),
    sqlite_autoincrement=True,
)
"""An event on a feed; ids are in the order of commits."""
