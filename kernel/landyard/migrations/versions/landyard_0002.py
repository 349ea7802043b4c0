"""When each job was last begun."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0002"
down_revision = "landyard_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "landyard_job",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("begun_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("landyard_job")
