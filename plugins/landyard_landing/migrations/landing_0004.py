"""Adds the themes of sites, and sites' own values in place of the theme's."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0004"
down_revision = "landing_0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    theme = sa.Column("theme", sa.String, nullable=False, server_default="harbour")
    tokens = sa.Column("theme_tokens", sa.JSON, nullable=False, server_default="{}")
    op.add_column("landing_site", theme)
    op.add_column("landing_site", tokens)


def downgrade() -> None:
    op.drop_column("landing_site", "theme_tokens")
    op.drop_column("landing_site", "theme")
