"""The tables of the journal: which calls were made, and what each changed."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Integer, Text
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class KeptCall(SQLModel, table=True):
    """A transaction of a call: its `unit` is that of the changes in it.

    `methods` are all that took part, with a comma behind each, the one that was called last.
    `undoes` is the request that this one took back; `undone_by` the one that took this one back.
    """

    __tablename__ = "undo_call"

    unit: int = Field(
        primary_key=True, sa_type=BigInteger, sa_column_kwargs={"autoincrement": False}
    )
    request_id: str = Field(index=True)
    at: datetime = Field(sa_type=Moment, index=True)
    user_id: int = Field(sa_type=BigInteger)
    credential: str
    methods: str
    subject: str
    undoes: str | None = None
    undone_by: str | None = None


class Change(SQLModel, table=True):
    """A statement's change of a row, in the order in which triggers have noted it.

    `of_row` is its primary key, as a JSON array. `before` and `after` are JSON objects of values by
    their columns: of an update those that it changed, of a removal all there were, of a new row
    those that are short.
    """

    __tablename__ = "undo_change"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    unit: int = Field(sa_type=BigInteger, index=True)
    of_table: str
    of_row: str
    kind: str
    before: str | None = Field(default=None, sa_type=Text)
    after: str | None = Field(default=None, sa_type=Text)


CALL = table_of(KeptCall).c
CHANGE = table_of(Change).c
