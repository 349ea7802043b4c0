"""Add to grants the credential with which the user was signed in."""

import sqlalchemy as sa
from alembic import op

revision = "oauth_0002"
down_revision = "oauth_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    credential = sa.Column("credential", sa.String, nullable=False, server_default="")
    op.add_column("oauth_grant", credential)


def downgrade() -> None:
    op.drop_column("oauth_grant", "credential")
