"""The table of what was told on a feed, which whoever comes back hears first."""

from typing import Any

from sqlalchemy import BigInteger, Column, Integer, String, Table

from landyard import METADATA, Moment

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


TOLD = Table(
    "feed_told",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("feed", String, nullable=False),
    Column("topic", String, nullable=False),
    Column("body", String, nullable=False),
    Column("at", Moment, nullable=False, index=True),
    sqlite_autoincrement=True,
)
"""An event on a feed; the order of the ids is that of commits."""
