"""The table of blocks saved by users."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Favourite(Base, table=True):
    """A copy of a block that a user saved, to be added to pages again.

    `preview_id` is the id of its preview file.
    """

    __tablename__ = "editing_favourite"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(index=True, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Moment)
    code: str
    name: str = ""
    sections: list[Any] = Field(default_factory=list, sa_type=JSON)
    preview_id: int | None = None
    template_code: str = ""
    policy: int = 0
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""


FAVOURITE = table_of(Favourite).c
