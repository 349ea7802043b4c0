"""Create the table of idempotency keys, with the answer for repeats."""

import sqlalchemy as sa
from alembic import op

revision = "repeats_0001"
down_revision = None
branch_labels = ("repeats",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "repeats_key",
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("credential", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("method", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("answer", sa.Text),
    )
    op.create_index("ix_repeats_key_made_at", "repeats_key", ["made_at"])


def downgrade() -> None:
    op.drop_table("repeats_key")
