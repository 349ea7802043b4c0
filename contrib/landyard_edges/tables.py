"""The tables of edges: the tags that each has to forget, and the state of each."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Integer
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class WaitingTag(Base, table=True):
    """A tag that an edge has to forget from `due_at` on; `site_id` is that of a page's tag, else 0.

    A tag is sent twice: `again` is set once it was sent.
    """

    __tablename__ = "edges_tag"
    __table_args__ = (
        Index("ix_edges_tag_due", "edge", "due_at"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    edge: str
    tag: str
    site_id: int
    due_at: datetime = Field(sa_type=Moment)
    again: bool


TAG = table_of(WaitingTag).c


class EdgeState(Base, table=True):
    """The state of an edge: its last success, and since when it fails, with the error.

    Nothing is sent to it before `next_at`. `planned_at` is when a task looks at it next.
    """

    __tablename__ = "edges_edge"

    name: str = Field(primary_key=True)
    next_at: datetime = Field(sa_type=Moment)
    planned_at: datetime = Field(sa_type=Moment)
    succeeded_at: datetime | None = Field(default=None, sa_type=Moment)
    failing_since: datetime | None = Field(default=None, sa_type=Moment)
    error: str


EDGE = table_of(EdgeState).c
