"""Record an update on PostgreSQL as pairs of old and new values, as on SQLite.

The version before cannot read them: it would put both in the place of one.
"""

from alembic import op

revision = "undo_0003"
down_revision = "undo_0002"
branch_labels = None
depends_on = None

_FUNCTIONS = """SELECT oid::regprocedure::text FROM pg_proc
    WHERE starts_with(proname, 'undo_note') AND pronamespace = current_schema()::regnamespace"""


def upgrade() -> None:
    """Do nothing: earlier rows are read as before."""


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for name in op.get_bind().exec_driver_sql(_FUNCTIONS).scalars().all():
            op.execute(f"DROP FUNCTION IF EXISTS {name} CASCADE")
        op.execute("DELETE FROM undo_entry")
