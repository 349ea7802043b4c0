"""The tables of what was said of roles, and of whether they count."""

from sqlalchemy import JSON, Column, Integer, Table
from sqlmodel import Field, SQLModel

from landyard import table_of

ROLE = Table(
    "roles_role",
    SQLModel.metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("rights", JSON, nullable=False, default=dict),
    Column("additional", JSON, nullable=False, default=list),
    Column("codes", JSON, nullable=False, default=list),
    info={"undo": "refused"},
).c
"""What was said of a role, in place of what it has of itself.

`rights` are numbers by the ids of sites, "0" for all others; `codes` are access codes.
"""


class State(SQLModel, table=True):
    """One row: whether roles count. Without it they do not."""

    __tablename__ = "roles_state"
    __table_args__ = ({"info": {"undo": "refused"}},)

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    enabled: bool = False


STATE = table_of(State).c
