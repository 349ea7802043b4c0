"""The tables of the changed settings of roles, and of the switch of all roles."""

from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class RoleSettings(Base, table=True):
    """The changed settings of a role, which replace its built-in ones.

    `rights` are numbers by the ids of sites, "0" for all others; `codes` are access codes.
    """

    __tablename__ = "roles_role"

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    rights: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    additional: list[Any] = Field(default_factory=list, sa_type=JSON)
    codes: list[Any] = Field(default_factory=list, sa_type=JSON)


class RolesSwitch(Base, table=True):
    """The switch of all roles, in a single row; without the row they are off."""

    __tablename__ = "roles_state"

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    enabled: bool = False
