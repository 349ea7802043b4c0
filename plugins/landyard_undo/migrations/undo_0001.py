"""The journal of undo: calls, and what each changed."""

import sqlalchemy as sa
from alembic import op

revision = "undo_0001"
down_revision = None
branch_labels = ("undo",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "undo_call",
        sa.Column("unit", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("credential", sa.String, nullable=False),
        sa.Column("methods", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("undoes", sa.String),
        sa.Column("undone_by", sa.String),
    )
    op.create_index("ix_undo_call_request_id", "undo_call", ["request_id"])
    op.create_index("ix_undo_call_at", "undo_call", ["at"])
    op.create_table(
        "undo_change",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("unit", sa.BigInteger, nullable=False),
        sa.Column("of_table", sa.String, nullable=False),
        sa.Column("of_row", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_undo_change_unit", "undo_change", ["unit"])


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION IF EXISTS undo_note() CASCADE")
    op.drop_table("undo_change")
    op.drop_table("undo_call")
