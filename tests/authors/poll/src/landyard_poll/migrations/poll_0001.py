"""Polls, their choices, votes and winners."""

import sqlalchemy as sa
from alembic import op

revision = "poll_0001"
down_revision = None
branch_labels = ("poll",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "poll_poll",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("question", sa.String, nullable=False),
        sa.Column("ends_at", sa.DateTime, nullable=True),
        sa.Column("closed_at", sa.DateTime, nullable=True),
    )
    op.create_index("ix_poll_poll_ends_at", "poll_poll", ["ends_at"])
    op.create_table(
        "poll_choice",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("poll_id", sa.Integer, sa.ForeignKey("poll_poll.id"), nullable=False),
        sa.Column("text", sa.String, nullable=False),
    )
    op.create_index("ix_poll_choice_poll_id", "poll_choice", ["poll_id"])
    op.create_table(
        "poll_vote",
        sa.Column("poll_id", sa.Integer, sa.ForeignKey("poll_poll.id"), primary_key=True),
        sa.Column("voter", sa.String, primary_key=True),
        sa.Column("choice_id", sa.Integer, sa.ForeignKey("poll_choice.id"), nullable=False),
    )
    op.create_index("ix_poll_vote_choice_id", "poll_vote", ["choice_id"])
    op.create_table(
        "poll_winner",
        sa.Column("poll_id", sa.Integer, sa.ForeignKey("poll_poll.id"), primary_key=True),
        sa.Column("choice", sa.String, nullable=True),
        sa.Column("votes", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("poll_winner")
    op.drop_table("poll_vote")
    op.drop_table("poll_choice")
    op.drop_table("poll_poll")
