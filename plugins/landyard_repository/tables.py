"""The table of registered blocks and widgets."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing import undoing
from landyard_undo.rules import UndoRules


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class RegisteredBlock(Base, table=True):
    """A registered block, or a widget for main pages; its code on pages is `repo_<id>`.

    `app_code` is empty, because blocks belong to no application. `created_by` is the owner.
    """

    __tablename__ = "repository_block"
    __table_args__ = (UniqueConstraint("widget", "xml_id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    widget: bool = False
    xml_id: str
    app_code: str | None = None
    active: bool = True
    name: str = ""
    description: str | None = None
    sections: str = ""
    site_template_id: str | None = None
    preview: str = ""
    manifest: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""
    created_by: int = Field(default=0, sa_type=BigInteger)
    modified_by: int = Field(default=0, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Moment)
    modified_at: datetime = Field(sa_type=Moment)


BLOCK = table_of(RegisteredBlock).c


UNDO_RULES = UndoRules(
    table="repository_block", allow=undoing.may_undo, latest=("modified_by", "modified_at")
)
