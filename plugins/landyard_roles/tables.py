"""The tables of what was said of roles, and of whether they count."""

from sqlalchemy import JSON, Boolean, Column, Integer, Table

from landyard import METADATA

ROLE = Table(
    "roles_role",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("rights", JSON, nullable=False, default=dict),
    Column("additional", JSON, nullable=False, default=list),
    Column("codes", JSON, nullable=False, default=list),
).c
"""What was said of a role, in place of what it has of itself.

`rights` are numbers by the ids of sites, "0" for all others; `codes` are access codes.
"""


STATE = Table(
    "roles_state",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("enabled", Boolean, nullable=False, default=False),
).c
"""One row: whether roles count. Without it they do not."""
