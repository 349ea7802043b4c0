"""Webhooks expire as tokens do; both say when they were last used and what replaces them."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0003"
down_revision = "landyard_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("landyard_webhook", sa.Column("expires_at", sa.DateTime))
    for name in ("landyard_webhook", "landyard_token"):
        op.add_column(name, sa.Column("last_used_at", sa.DateTime))
        op.add_column(name, sa.Column("replaced_by", sa.Integer))


def downgrade() -> None:
    for name in ("landyard_webhook", "landyard_token"):
        op.drop_column(name, "replaced_by")
        op.drop_column(name, "last_used_at")
    op.drop_column("landyard_webhook", "expires_at")
