"""Create the table of the audit log, a row for each call of a method that writes."""

import sqlalchemy as sa
from alembic import op

revision = "audit_0001"
down_revision = None
branch_labels = ("audit",)
depends_on = None

TEXTS = ("credential", "address", "method", "plugin", "version", "subject", "outcome", "request_id")


def upgrade() -> None:
    op.create_table(
        "audit_row",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in TEXTS),
        sa.Column("seconds", sa.Float, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("audit_row")
