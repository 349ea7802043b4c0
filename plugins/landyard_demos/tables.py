"""The table of templates that calls have registered."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing import may_undo

# To undo a call leaves these as they are where the row was changed since.
LAST: Any = {"info": {"undo": "latest"}}


class RegisteredTemplate(SQLModel, table=True):
    """A template of a site (`tpl_type` S), or of a page of one (P), as it was given.

    `xml_id` is the site's code, or the site's and the page's with a slash between them; pages are
    made of the template of that code. `created_by` owns it.
    """

    __tablename__ = "demos_template"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    xml_id: str = Field(unique=True)
    site_xml_id: str = Field(index=True)
    app_code: str | None = None
    active: bool = True
    type: str = "page"
    tpl_type: str = "P"
    title: str = ""
    description: str | None = None
    show_in_list: bool = True
    preview: str = ""
    preview2x: str = ""
    preview3x: str = ""
    preview_url: str = ""
    site_template_id: str | None = None
    lang: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    lang_original: str | None = None
    manifest: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_by: int = Field(default=0, sa_type=BigInteger)
    modified_by: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs=LAST)
    created_at: datetime = Field(sa_type=Moment)
    modified_at: datetime = Field(sa_type=Moment, sa_column_kwargs=LAST)


TEMPLATE = table_of(RegisteredTemplate).c
TEMPLATE.id.table.info["undo_may"] = may_undo
