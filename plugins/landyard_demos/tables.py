"""The table of registered templates."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing import undoing
from landyard_undo.rules import UndoRules


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Template(Base, table=True):
    """A registered template of a site (`tpl_type` S) or of one of its pages (P).

    `manifest` is the document as it was sent. `xml_id` is the site's code, or the site's and the
    page's code joined by a slash; it is also the code of the page template. `created_by` is the
    owner.
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
    modified_by: int = Field(default=0, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Moment)
    modified_at: datetime = Field(sa_type=Moment)


TEMPLATE = table_of(Template).c


UNDO_RULES = UndoRules(
    table="demos_template", allow=undoing.may_undo, latest=("modified_by", "modified_at")
)
