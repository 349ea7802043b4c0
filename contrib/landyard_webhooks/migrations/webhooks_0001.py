"""Create the table of endpoints that events are delivered to."""

import sqlalchemy as sa
from alembic import op

revision = "webhooks_0001"
down_revision = None
branch_labels = ("webhooks",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhooks_endpoint",
        sa.Column("id", sa.Integer, primary_key=True),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("url", "events", "secret", "old_secret")
        ),
        sa.Column("old_until", sa.DateTime, nullable=True),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("webhooks_endpoint")
