"""Create the table of the blocks and widgets that calls register."""

import sqlalchemy as sa
from alembic import op

revision = "repository_0001"
down_revision = None
branch_labels = ("repository",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "repository_block",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("widget", sa.Boolean, nullable=False),
        sa.Column("xml_id", sa.String, nullable=False),
        sa.Column("app_code", sa.String, nullable=True),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("description", sa.String, nullable=True),
        sa.Column("sections", sa.String, nullable=False),
        sa.Column("site_template_id", sa.String, nullable=True),
        sa.Column("preview", sa.String, nullable=False),
        sa.Column("manifest", sa.JSON, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("created_by", sa.BigInteger, nullable=False),
        sa.Column("modified_by", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("modified_at", sa.DateTime, nullable=False),
        sa.UniqueConstraint("widget", "xml_id"),
        # Pages name blocks by this id: that of one that is gone names nothing, ever.
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("repository_block")
