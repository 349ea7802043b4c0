"""The table of the journal: what calls have changed, and which calls these were.

It has no index: what a call costs counts, and not what an undo does, which is rare.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Integer, String, Table, Text, case

from landyard import METADATA, Moment

_NUMBER: Any = BigInteger().with_variant(Integer, "sqlite")


ENTRY = Table(
    "undo_entry",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("unit", BigInteger, nullable=False),
    Column("kind", String),
    Column("of_table", String),
    Column("of_row", String),
    Column("request_id", String),
    Column("at", Moment),
    Column("user_id", BigInteger),
    Column("credential", String),
    Column("method", String),
    Column("subject", String),
    Column("first", BigInteger),
    Column("undoes", String),
    Column("undone_by", String),
    Column("before", Text),
    Column("after", Text),
).c
"""A change of a row as a trigger has noted it; or behind the changes of a call the call itself.

A `unit` is a transaction, on SQLite a call's part of one. Of a change there are `kind`,
`of_table` and `of_row`, its primary key as a JSON array. `before` and `after` are JSON objects
of values by their columns: of an update those that it changed, of a removal all there were, of
a new row none. In `after` a longer value is its digest; of a long text that was changed in one
place both have an excerpt. Of an update on SQLite `before` has pairs of both, and `after` is
nothing. Both are nothing of rows that went there by what cannot be undone.

A call has all the others. Its changes are those of its unit from the id `first` on; where that
is negative they are among so many rows before the call's. `undoes` are the requests that it
took back, each with the user whose it was, `id:12,id:1`; `undone_by` took this one back.
"""


# What a page mentions again when a call is undone must still be there.
ENTRY.before.info["mentions_files"] = True
FIRST = case((ENTRY.first < 0, ENTRY.id + ENTRY.first), else_=ENTRY.first).label("first")
"""The id from which on a call's changes are."""
