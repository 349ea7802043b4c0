"""Create the table of visit counts."""

import sqlalchemy as sa
from alembic import op

revision = "visits_0001"
down_revision = None
branch_labels = ("visits",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "visits_day",
        sa.Column("page_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("visits", sa.Integer, nullable=False),
    )
    op.create_index("ix_visits_day_day", "visits_day", ["day"])


def downgrade() -> None:
    op.drop_table("visits_day")
