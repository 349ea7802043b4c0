"""Add a function to PostgreSQL that folds case and accents, and write users' names in one form."""

import sqlalchemy as sa
from alembic import op

from landyard.storage.folding import FUNCTION, postgres_function
from landyard.storage.spelling import spelt

revision = "landyard_0002"
down_revision = "landyard_0001"
branch_labels = None
depends_on = None

_USERS = sa.table("landyard_user", sa.column("id"), sa.column("name"))


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(postgres_function())
    for user in connection.execute(sa.select(_USERS)).all():
        if (name := spelt(user.name)) not in {user.name, ""}:
            same = sa.update(_USERS).where(_USERS.c.id == user.id)
            connection.execute(same.values(name=name))


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(f"DROP FUNCTION IF EXISTS {FUNCTION}(text)")
