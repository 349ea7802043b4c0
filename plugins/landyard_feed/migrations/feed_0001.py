"""Create the table of events on feeds."""

import sqlalchemy as sa
from alembic import op

revision = "feed_0001"
down_revision = None
branch_labels = ("feed",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "feed_told",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("feed", sa.String, nullable=False),
        sa.Column("topic", sa.String, nullable=False),
        sa.Column("body", sa.String, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_feed_told_at", "feed_told", ["at"])


def downgrade() -> None:
    op.drop_table("feed_told")
