"""Add the process that runs a call of several transactions, to detect its end."""

import sqlalchemy as sa
from alembic import op

revision = "repeats_0002"
down_revision = "repeats_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    holder = sa.Column("holder", sa.String, nullable=False, server_default="")
    op.add_column("repeats_key", holder)


def downgrade() -> None:
    op.drop_column("repeats_key", "holder")
