"""Plugins: their switches, states and quarantines, and how their calls went."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0005"
down_revision = "landyard_0004"
branch_labels = None
depends_on = None


# Out of PostgreSQL's log, as the rest of the ledger is. SQLite has a file for it.
_USAGE = """CREATE UNLOGGED TABLE ledger_usage (
    plugin VARCHAR, minute BIGINT, worker VARCHAR, calls BIGINT NOT NULL, errors BIGINT NOT NULL,
    spread VARCHAR NOT NULL, PRIMARY KEY (plugin, minute, worker))"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_USAGE)
    op.create_table(
        "landyard_switch",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("changed_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "landyard_plugin",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("distribution", sa.String, primary_key=True),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("methods", sa.JSON, nullable=False),
        sa.Column("reported_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "landyard_quarantine",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("since", sa.DateTime, nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
    )
    change = op.create_table(
        "landyard_change",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("counter", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(change, [{"id": 1, "counter": 0}])


def downgrade() -> None:
    for name in ("landyard_change", "landyard_quarantine", "landyard_plugin", "landyard_switch"):
        op.drop_table(name)
    if op.get_bind().dialect.name == "postgresql":
        op.drop_table("ledger_usage")
