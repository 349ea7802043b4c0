"""Create the tables of the roles' settings, and of their switch."""

import sqlalchemy as sa
from alembic import op

revision = "roles_0001"
down_revision = None
branch_labels = ("roles",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "roles_role",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("rights", sa.JSON, nullable=False),
        sa.Column("additional", sa.JSON, nullable=False),
        sa.Column("codes", sa.JSON, nullable=False),
    )
    op.create_table(
        "roles_state",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("roles_state")
    op.drop_table("roles_role")
