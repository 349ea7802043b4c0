"""The tables of what was said of roles, and of whether they count."""

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from landyard import table_of


class StoredRole(SQLModel, table=True):
    """What was said of a role, in place of what it has of itself.

    `rights` are numbers by the ids of sites, "0" for all others; `codes` are access codes.
    """

    __tablename__ = "roles_role"
    __table_args__ = ({"info": {"undo": "refused"}},)

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    rights: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    additional: list[str] = Field(default_factory=list, sa_type=JSON)
    codes: list[str] = Field(default_factory=list, sa_type=JSON)


class State(SQLModel, table=True):
    """One row: whether roles count. Without it they do not."""

    __tablename__ = "roles_state"
    __table_args__ = ({"info": {"undo": "refused"}},)

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    enabled: bool = False


ROLE = table_of(StoredRole).c
STATE = table_of(State).c
