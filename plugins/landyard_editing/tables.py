"""The table of blocks that users have saved."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Favourite(SQLModel, table=True):
    """A block as it was when its user saved it, to be added to pages again.

    `preview_id` is the id of a file that pictures it.
    """

    __tablename__ = "editing_favourite"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(index=True, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Moment)
    code: str
    name: str = ""
    sections: list[str] = Field(default_factory=list, sa_type=JSON)
    preview_id: int | None = None
    template_code: str = ""
    policy: int = 0
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""


FAVOURITE = table_of(Favourite).c
