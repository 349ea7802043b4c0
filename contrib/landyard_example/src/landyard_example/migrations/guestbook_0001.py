"""Create the table of guest-book entries."""

import sqlalchemy as sa
from alembic import op

revision = "guestbook_0001"
down_revision = None
branch_labels = ("guestbook",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "guestbook_entry",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("added_at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_guestbook_entry_added_at", "guestbook_entry", ["added_at"])


def downgrade() -> None:
    op.drop_table("guestbook_entry")
