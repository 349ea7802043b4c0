"""Create the table of the events that apps subscribed to."""

import sqlalchemy as sa
from alembic import op

revision = "apps_0001"
down_revision = None
branch_labels = ("apps",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "apps_binding",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("app_id", sa.Integer, nullable=False),
        sa.Column("event", sa.String, nullable=False),
        sa.Column("handler", sa.String, nullable=False),
        sa.Column("auth_type", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.UniqueConstraint(
            *("app_id", "event", "handler", "auth_type"), name="uq_apps_binding_app_id"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_apps_binding_event", "apps_binding", ["event"])


def downgrade() -> None:
    op.drop_table("apps_binding")
