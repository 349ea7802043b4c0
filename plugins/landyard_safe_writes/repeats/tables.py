"""The table of idempotency keys, with the call and the answer for each."""

from datetime import datetime

from sqlalchemy import BigInteger, Text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class IdempotencyKey(Base, table=True):
    """An idempotency key of a caller, and the call that was made with it.

    `digest` is the digest of the parameters. `answer` is null while a call of several transactions
    is under way, or if its process, the `holder`, has died.
    """

    __tablename__ = "repeats_key"

    user_id: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    credential: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    method: str
    digest: str
    request_id: str
    made_at: datetime = Field(index=True, sa_type=Moment)
    answer: str | None = Field(default=None, sa_type=Text)
    holder: str = Field(default="", sa_column_kwargs={"server_default": ""})


KEY = table_of(IdempotencyKey).c
