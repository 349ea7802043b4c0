"""PostgreSQL folds case and accents as SQLite does: a function for searches."""

from alembic import op

from landyard.storage.folding import FUNCTION, postgres_function

revision = "landyard_0002"
down_revision = "landyard_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.get_bind().exec_driver_sql(postgres_function())


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(f"DROP FUNCTION IF EXISTS {FUNCTION}(text)")
