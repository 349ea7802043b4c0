"""The table of registered templates."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Integer, String, Table

from landyard import METADATA, Moment
from landyard_landing import undoing
from landyard_undo.rules import UndoRules

TEMPLATE = Table(
    "demos_template",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("xml_id", String, nullable=False, unique=True),
    Column("site_xml_id", String, nullable=False, index=True),
    Column("app_code", String),
    Column("active", Boolean, nullable=False, default=True),
    Column("type", String, nullable=False, default="page"),
    Column("tpl_type", String, nullable=False, default="P"),
    Column("title", String, nullable=False, default=""),
    Column("description", String),
    Column("show_in_list", Boolean, nullable=False, default=True),
    Column("preview", String, nullable=False, default=""),
    Column("preview2x", String, nullable=False, default=""),
    Column("preview3x", String, nullable=False, default=""),
    Column("preview_url", String, nullable=False, default=""),
    Column("site_template_id", String),
    Column("lang", JSON, nullable=False, default=dict),
    Column("lang_original", String),
    Column("manifest", JSON, nullable=False, default=dict),
    Column("created_by", BigInteger, nullable=False, default=0),
    Column("modified_by", BigInteger, nullable=False, default=0),
    Column("created_at", Moment, nullable=False),
    Column("modified_at", Moment, nullable=False),
    sqlite_autoincrement=True,
).c
"""A registered template of a site (`tpl_type` S) or of one of its pages (P).

`manifest` is the document as it was sent. `xml_id` is the site's code, or the site's and the page's
code joined by a slash; it is also the code of the page template. `created_by` is the owner.
"""


UNDO_RULES = UndoRules(
    table="demos_template", allow=undoing.may_undo, latest=("modified_by", "modified_at")
)
