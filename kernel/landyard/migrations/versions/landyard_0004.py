"""The audit, and the ledger where it is in this database."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0004"
down_revision = "landyard_0003"
branch_labels = None
depends_on = None


# Out of PostgreSQL's log: what they hold is worth nothing after a crash. SQLite has a file for it.
_LEDGER = (
    """CREATE UNLOGGED TABLE ledger_bucket (
        key VARCHAR PRIMARY KEY, level DOUBLE PRECISION NOT NULL, at DOUBLE PRECISION NOT NULL)""",
    """CREATE UNLOGGED TABLE ledger_operating (
        credential VARCHAR, method VARCHAR, bucket BIGINT, seconds DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (credential, method, bucket))""",
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table in _LEDGER:
            op.execute(table)
    op.create_table(
        "landyard_audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("credential", sa.String, nullable=False),
        sa.Column("address", sa.String, nullable=False),
        sa.Column("method", sa.String, nullable=False),
        sa.Column("plugin", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("landyard_audit")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_table("ledger_operating")
        op.drop_table("ledger_bucket")
