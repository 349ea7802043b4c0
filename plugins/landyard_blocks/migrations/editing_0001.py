"""Create the table of blocks that users have saved."""

import sqlalchemy as sa
from alembic import op

revision = "editing_0001"
down_revision = None
branch_labels = ("editing",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "editing_favourite",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("sections", sa.JSON, nullable=False),
        sa.Column("preview_id", sa.Integer, nullable=True),
        sa.Column("template_code", sa.String, nullable=False),
        sa.Column("policy", sa.Integer, nullable=False),
        sa.Column("params", sa.JSON, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        # The id of one that is gone names nothing, ever.
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("editing_favourite")
