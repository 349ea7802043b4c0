"""Create the table of the journal: calls, and the changes of rows by each."""

import sqlalchemy as sa
from alembic import op

revision = "undo_0001"
down_revision = None
branch_labels = ("undo",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "undo_entry",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("unit", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String),
        sa.Column("of_table", sa.String),
        sa.Column("of_row", sa.String),
        sa.Column("request_id", sa.String),
        sa.Column("at", sa.DateTime),
        sa.Column("user_id", sa.BigInteger),
        sa.Column("credential", sa.String),
        sa.Column("method", sa.String),
        sa.Column("subject", sa.String),
        sa.Column("first", sa.BigInteger),
        sa.Column("undoes", sa.String),
        sa.Column("undone_by", sa.String),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
    )


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        names = (
            "SELECT oid::regprocedure::text FROM pg_proc WHERE starts_with(proname, 'undo_note')"
            " AND pronamespace = current_schema()::regnamespace"
        )
        for name in op.get_bind().exec_driver_sql(names).scalars().all():
            op.execute(f"DROP FUNCTION IF EXISTS {name} CASCADE")
    op.drop_table("undo_entry")
