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
of values by their columns. An update has the changed values, a removal has all values of the
row, and a new row has no values. In `after` a longer value is its digest; of a long text that
was changed in one place both have an excerpt. Of an update on SQLite `before` has pairs of both,
and `after` is nothing. Both are nothing of rows that went there by what cannot be undone.

A call's row has all the other columns. The call's changes are the changes of its unit from the
id `first` on. A negative `first` counts back from the id of the call's row: the changes are
among these rows. `undoes` names the requests that the call took back, each with its user:
`id:12,id:1`. `undone_by` names the request that took the call back.
"""


# An undo may bring back a page's mention of a file: the file must still be there.
ENTRY.before.info["mentions_files"] = True
FIRST = case((ENTRY.first < 0, ENTRY.id + ENTRY.first), else_=ENTRY.first).label("first")
"""The id from which on a call's changes are."""
