"""The table of blocks saved by users."""

from sqlalchemy import JSON, BigInteger, Column, Integer, String, Table

from landyard import METADATA, Moment

FAVOURITE = Table(
    "editing_favourite",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("user_id", BigInteger, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
    Column("code", String, nullable=False),
    Column("name", String, nullable=False, default=""),
    Column("sections", JSON, nullable=False, default=list),
    Column("preview_id", Integer),
    Column("template_code", String, nullable=False, default=""),
    Column("policy", Integer, nullable=False, default=0),
    Column("params", JSON, nullable=False, default=dict),
    Column("content", String, nullable=False, default=""),
    sqlite_autoincrement=True,
).c
"""A copy of a block that a user saved, to be added to pages again.

`preview_id` is the id of its preview file.
"""
