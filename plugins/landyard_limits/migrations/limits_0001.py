"""First revision: counter tables, unlogged on PostgreSQL; SQLite has them in `limits.db`."""

import sqlalchemy as sa
from alembic import op

revision = "limits_0001"
down_revision = None
branch_labels = ("limits",)
depends_on = None


def upgrade() -> None:
    prefixes = ["UNLOGGED"] if op.get_bind().dialect.name == "postgresql" else []
    op.create_table(
        "limits_bucket",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("empty_at", sa.Float, nullable=False),
        prefixes=prefixes,
    )
    op.create_table(
        "limits_operating",
        sa.Column("credential", sa.String, primary_key=True),
        sa.Column("method", sa.String, primary_key=True),
        sa.Column("minute", sa.BigInteger, primary_key=True),
        sa.Column("seconds", sa.Float, nullable=False),
        prefixes=prefixes,
    )


def downgrade() -> None:
    op.drop_table("limits_bucket")
    op.drop_table("limits_operating")
