"""Add the user for whom an app subscribed to an event."""

import sqlalchemy as sa
from alembic import op

revision = "apps_0002"
down_revision = "apps_0001"
branch_labels = None
depends_on = None

# An event for whoever brings it about was bound for an administrator: which one was not kept.
_OWNERS = """
UPDATE apps_binding SET user_id = coalesce(
    (SELECT landyard_user.id FROM landyard_user WHERE landyard_user.id = apps_binding.auth_type),
    (SELECT min(landyard_user.id) FROM landyard_user
        JOIN oauth_grant ON oauth_grant.user_id = landyard_user.id
        WHERE oauth_grant.app_id = apps_binding.app_id AND landyard_user.admin),
    0)
"""


def upgrade() -> None:
    op.add_column(
        "apps_binding", sa.Column("user_id", sa.Integer, nullable=False, server_default="0")
    )
    op.execute(_OWNERS)


def downgrade() -> None:
    op.drop_column("apps_binding", "user_id")
