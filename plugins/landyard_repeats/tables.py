"""The table of keys: which calls were made with them, and what was answered."""

from datetime import datetime

from sqlalchemy import BigInteger, Text
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Key(SQLModel, table=True):
    """A key of a caller: the call that was made with it.

    `digest` is that of the parameters. There is no `answer` while a call of several transactions is
    under way, or if its process has died.
    """

    __tablename__ = "repeats_key"
    __table_args__ = ({"info": {"undo": "never"}},)

    user_id: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    credential: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    method: str
    digest: str
    request_id: str
    made_at: datetime = Field(sa_type=Moment, index=True)
    answer: str | None = Field(default=None, sa_type=Text)


KEY = table_of(Key).c
