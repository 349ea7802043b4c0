"""Users, webhooks and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0001"
down_revision = None
branch_labels = ("landyard",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "landyard_user",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    for name, more in (
        ("landyard_webhook", []),
        ("landyard_token", [sa.Column("expires_at", sa.DateTime)]),
    ):
        op.create_table(
            name,
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column(
                "user_id",
                sa.Integer,
                sa.ForeignKey("landyard_user.id", ondelete="CASCADE"),
                nullable=False,
            ),
            sa.Column("digest", sa.String(64), nullable=False, unique=True),
            sa.Column("scopes", sa.String, nullable=False),
            sa.Column("title", sa.String, nullable=False),
            sa.Column("active", sa.Boolean, nullable=False),
            *more,
        )
        op.create_index(f"ix_{name}_user_id", name, ["user_id"])


def downgrade() -> None:
    op.drop_table("landyard_token")
    op.drop_table("landyard_webhook")
    op.drop_table("landyard_user")
