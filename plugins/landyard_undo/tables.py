"""The table of the journal: calls, and the changes of rows by each.

It has no index: what a call costs counts, and not what an undo does, which is rare.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Integer, Text, case
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class JournalEntry(Base, table=True):
    """A change of a row as a trigger has noted it; or behind the changes of a call the call itself.

    A `unit` is a transaction, on SQLite a call's part of one. Of a change there are `kind`,
    `of_table` and `of_row`, its primary key as a JSON array. `before` and `after` are JSON objects
    of values by their columns. An update has the changed values, a removal has all values of the
    row, and a new row has no values. In `after` a longer value is its digest; of a long text that
    was changed in one place both have an excerpt. Of an update on SQLite `before` has pairs of
    both, and `after` is nothing. Both are nothing of rows that went there by what cannot be undone.

    A call's row has all the other columns. The call's changes are the changes of its unit from the
    id `first` on. A negative `first` counts back from the id of the call's row: the changes are
    among these rows. `undoes` names the requests that the call took back, each with its user:
    `id:12,id:1`. `undone_by` names the request that took the call back.
    """

    __tablename__ = "undo_entry"

    id: int | None = Field(default=None, primary_key=True, sa_type=_NUMBER)
    unit: int = Field(sa_type=BigInteger)
    kind: str | None = None
    of_table: str | None = None
    of_row: str | None = None
    request_id: str | None = None
    at: datetime | None = Field(default=None, sa_type=Moment)
    user_id: int | None = Field(default=None, sa_type=BigInteger)
    credential: str | None = None
    method: str | None = None
    subject: str | None = None
    first: int | None = Field(default=None, sa_type=BigInteger)
    undoes: str | None = None
    undone_by: str | None = None
    before: str | None = Field(default=None, sa_type=Text)
    after: str | None = Field(default=None, sa_type=Text)


ENTRY = table_of(JournalEntry).c


# An undo may bring back a page's mention of a file: the file must still be there.
ENTRY.before.info["mentions_files"] = True
FIRST = case((ENTRY.first < 0, ENTRY.id + ENTRY.first), else_=ENTRY.first).label("first")
"""The id from which on a call's changes are."""
