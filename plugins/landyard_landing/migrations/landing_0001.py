"""Sites, folders, pages, blocks, manifests, templates, rights and history."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0001"
down_revision = None
branch_labels = ("landing",)
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String, nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.JSON, nullable=False)


def _reference(
    name: str, target: str, *, nullable: bool = False, ondelete: str | None = None
) -> sa.Column[int]:
    key = sa.ForeignKey(f"{target}.id", ondelete=ondelete)
    return sa.Column(name, sa.Integer, key, nullable=nullable)


def _signed() -> list[sa.Column[object]]:
    return [
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("modified_at", sa.DateTime, nullable=False),
        sa.Column("created_by", sa.Integer, nullable=False),
        sa.Column("modified_by", sa.Integer, nullable=False),
    ]


def upgrade() -> None:
    op.create_table(
        "landing_site",
        _id(),
        sa.Column("code", sa.String, nullable=False, unique=True),
        _text("type"),
        _text("title"),
        sa.Column("domain", sa.String, unique=True),
        sa.Column("main_page_id", sa.Integer),
        _text("template_code"),
        _flag("active"),
    )
    op.create_table(
        "landing_folder",
        _id(),
        _reference("site_id", "landing_site", ondelete="CASCADE"),
        _reference("parent_id", "landing_folder", nullable=True),
        _text("code"),
        _text("title"),
        sa.Column("index_page_id", sa.Integer),
        sa.UniqueConstraint("site_id", "parent_id", "code"),
    )
    op.create_index("ix_landing_folder_site_id", "landing_folder", ["site_id"])
    op.create_table(
        "landing_page",
        _id(),
        _reference("site_id", "landing_site", ondelete="CASCADE"),
        _reference("folder_id", "landing_folder", nullable=True),
        _text("code"),
        _text("title"),
        _text("description"),
        _flag("active"),
        _flag("published"),
        _flag("deleted"),
        sa.Column("deleted_at", sa.DateTime),
        _flag("locked"),
        _flag("area"),
        _text("rule"),
        _text("sitemap"),
        sa.Column("date_public", sa.DateTime),
        _text("xml_id"),
        _json("additional_fields"),
        _text("folder_flag"),
        sa.Column("view_template", sa.Integer),
        sa.Column("template_code", sa.String),
        *_signed(),
    )
    op.create_index("ix_landing_page_address", "landing_page", ["site_id", "folder_id", "code"])
    op.create_index("ix_landing_page_folder_id", "landing_page", ["folder_id"])
    op.create_table(
        "landing_block",
        _id(),
        _reference("page_id", "landing_page", ondelete="CASCADE"),
        _flag("public"),
        sa.Column("draft_id", sa.Integer),
        _text("code"),
        _text("content"),
        sa.Column("policy", sa.Integer, nullable=False),
        sa.Column("sort", sa.Integer, nullable=False),
        _flag("active"),
        _flag("deleted"),
        sa.Column("anchor", sa.String),
        _json("params"),
        *_signed(),
    )
    op.create_index("ix_landing_block_page", "landing_block", ["page_id", "public", "sort", "id"])
    op.create_index("ix_landing_block_draft_id", "landing_block", ["draft_id"])
    op.create_table(
        "landing_manifest",
        _id(),
        sa.Column("code", sa.String, nullable=False, unique=True),
        _text("name"),
        _json("manifest"),
        _text("content"),
        _json("css"),
        _json("js"),
        _text("digest"),
    )
    op.create_table(
        "landing_template",
        _id(),
        sa.Column("code", sa.String, nullable=False, unique=True),
        _text("type"),
        _text("title"),
        _text("description"),
        _json("fields"),
        _flag("locked"),
        _json("blocks"),
    )
    op.create_table(
        "landing_access",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        _flag("sites_access"),
        sa.Column("rights", sa.Integer),
    )
    op.create_table(
        "landing_right",
        _id(),
        sa.Column("user_id", sa.Integer, nullable=False),
        _reference("site_id", "landing_site", ondelete="CASCADE"),
        sa.Column("rights", sa.Integer, nullable=False),
        sa.UniqueConstraint("user_id", "site_id"),
    )
    op.create_index("ix_landing_right_site_id", "landing_right", ["site_id"])
    op.create_table(
        "landing_history",
        _id(),
        _reference("page_id", "landing_page", ondelete="CASCADE"),
        sa.Column("block_id", sa.Integer, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        _text("method"),
        _json("before"),
        _json("after"),
    )
    op.create_index("ix_landing_history_page_id", "landing_history", ["page_id"])


def downgrade() -> None:
    for table in (
        "history",
        "right",
        "access",
        "template",
        "manifest",
        "block",
        "page",
        "folder",
        "site",
    ):
        op.drop_table(f"landing_{table}")
