"""Rows."""

import sqlalchemy as sa
from alembic import op

revision = "exporter_0001"
down_revision = None
branch_labels = ("exporter",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "exporter_row",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("happened_at", sa.DateTime, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("topic", sa.String, nullable=False),
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("block_id", sa.Integer, nullable=True),
    )
    op.create_index("ix_exporter_row_happened_at", "exporter_row", ["happened_at"])
    op.create_index("ix_exporter_row_page_id", "exporter_row", ["page_id"])


def downgrade() -> None:
    op.drop_table("exporter_row")
