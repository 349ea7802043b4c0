"""Create the tables of the tags that edges have to forget, and of their state."""

import sqlalchemy as sa
from alembic import op

revision = "edges_0001"
down_revision = None
branch_labels = ("edges",)
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "edges_tag",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("edge", sa.String, nullable=False),
        sa.Column("tag", sa.String, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("due_at", sa.DateTime, nullable=False),
        sa.Column("again", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_edges_tag_due", "edges_tag", ["edge", "due_at"])
    op.create_table(
        "edges_edge",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("next_at", sa.DateTime, nullable=False),
        sa.Column("planned_at", sa.DateTime, nullable=False),
        sa.Column("succeeded_at", sa.DateTime, nullable=True),
        sa.Column("failing_since", sa.DateTime, nullable=True),
        sa.Column("error", sa.String, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("edges_edge")
    op.drop_table("edges_tag")
