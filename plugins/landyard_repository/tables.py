"""The table of blocks and widgets that calls have registered."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, UniqueConstraint
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing import may_undo

# To undo a call leaves these as they are where the row was changed since.
LAST: Any = {"info": {"undo": "latest"}}


class RegisteredBlock(SQLModel, table=True):
    """A block, or a widget of main pages, as it was given; pages name it as `repo_<id>`.

    `app_code` is empty: there are no applications here. `created_by` owns it.
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
    modified_by: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=LAST)
    created_at: datetime = Field(sa_type=Moment)
    modified_at: datetime = Field(sa_type=Moment, sa_column_kwargs=LAST)


BLOCK = table_of(RegisteredBlock).c
BLOCK.id.table.info["undo_may"] = may_undo
