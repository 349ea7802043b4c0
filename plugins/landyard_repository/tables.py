"""The table of registered blocks and widgets."""

from sqlalchemy import JSON, BigInteger, Boolean, Column, Integer, String, Table, UniqueConstraint

from landyard import METADATA, Moment
from landyard_landing import undoing
from landyard_undo.rules import UndoRules

BLOCK = Table(
    "repository_block",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("widget", Boolean, nullable=False, default=False),
    Column("xml_id", String, nullable=False),
    Column("app_code", String),
    Column("active", Boolean, nullable=False, default=True),
    Column("name", String, nullable=False, default=""),
    Column("description", String),
    Column("sections", String, nullable=False, default=""),
    Column("site_template_id", String),
    Column("preview", String, nullable=False, default=""),
    Column("manifest", JSON, nullable=False, default=dict),
    Column("content", String, nullable=False, default=""),
    Column("created_by", BigInteger, nullable=False, default=0),
    Column("modified_by", BigInteger, nullable=False, default=0),
    Column("created_at", Moment, nullable=False),
    Column("modified_at", Moment, nullable=False),
    UniqueConstraint("widget", "xml_id"),
    sqlite_autoincrement=True,
).c
"""A registered block, or a widget for main pages; its code on pages is `repo_<id>`.

`app_code` is empty, because blocks belong to no application. `created_by` is the owner.
"""


UNDO_RULES = UndoRules(
    table="repository_block", allow=undoing.may_undo, latest=("modified_by", "modified_at")
)
