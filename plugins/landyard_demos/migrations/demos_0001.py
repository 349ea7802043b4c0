"""Create the table of the templates of sites and pages that calls register."""

import sqlalchemy as sa
from alembic import op

revision = "demos_0001"
down_revision = None
branch_labels = ("demos",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "demos_template",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("xml_id", sa.String, nullable=False, unique=True),
        sa.Column("site_xml_id", sa.String, nullable=False, index=True),
        sa.Column("app_code", sa.String, nullable=True),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("tpl_type", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("description", sa.String, nullable=True),
        sa.Column("show_in_list", sa.Boolean, nullable=False),
        sa.Column("preview", sa.String, nullable=False),
        sa.Column("preview2x", sa.String, nullable=False),
        sa.Column("preview3x", sa.String, nullable=False),
        sa.Column("preview_url", sa.String, nullable=False),
        sa.Column("site_template_id", sa.String, nullable=True),
        sa.Column("lang", sa.JSON, nullable=False),
        sa.Column("lang_original", sa.String, nullable=True),
        sa.Column("manifest", sa.JSON, nullable=False),
        sa.Column("created_by", sa.BigInteger, nullable=False),
        sa.Column("modified_by", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("modified_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("demos_template")
