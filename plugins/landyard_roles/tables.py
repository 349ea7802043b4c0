"""The tables of the changed settings of roles, and of the switch of all roles."""

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
"""The changed settings of a role, which replace its built-in ones.

`rights` are numbers by the ids of sites, "0" for all others; `codes` are access codes.
"""


STATE = Table(
    "roles_state",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("enabled", Boolean, nullable=False, default=False),
).c
"""The switch of all roles, in a single row; without the row they are off."""
