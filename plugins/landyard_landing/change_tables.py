"""The tables of changes: the history of drafts' edits, and the public version."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlmodel import Field

from landyard import Moment, table_of
from landyard_landing.tables import Base


class Edit(Base, table=True):
    """One edit of a page's draft: user, moment, method, and the values before and after (B14).

    For long HTML `after` has only the changed part (`blocks/splices.py` of `content`). `undone`
    while the edit is undone; `discarded` where it can no longer be redone, since a newer edit was
    made meanwhile.
    """

    __tablename__ = "landing_history"

    id: int | None = Field(default=None, primary_key=True)
    page_id: int = Field(foreign_key="landing_page.id", ondelete="CASCADE", index=True)
    block_id: int
    user_id: int
    at: datetime = Field(sa_type=Moment)
    method: str
    before: Any = Field(sa_type=JSON)
    after: Any = Field(sa_type=JSON)
    undone: bool = False
    discarded: bool = False


HISTORY = table_of(Edit).c


class PublicVersion(Base, table=True):
    """One row, whose `version` changes with every change that visitors can see.

    Database triggers write it. There is no row before the first change.
    """

    __tablename__ = "landing_public"

    id: int = Field(default=1, primary_key=True)
    version: int = Field(default=0, sa_type=BigInteger)


PUBLIC_VERSION = table_of(PublicVersion).c
