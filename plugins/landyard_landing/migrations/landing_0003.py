"""Adds the languages of sites and pages, and the originals of translated pages."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0003"
down_revision = "landing_0002"
branch_labels = None
depends_on = None

_INDEX = "ix_landing_page_original"


def upgrade() -> None:
    language = sa.Column("language", sa.String, nullable=False, server_default="en")
    op.add_column("landing_site", language)
    op.add_column("landing_page", sa.Column("language", sa.String))
    op.add_column("landing_page", sa.Column("original_id", sa.Integer))
    # A partial index of the few pages that are translations.
    few = sa.text("original_id IS NOT NULL")
    where = {"sqlite_where": few, "postgresql_where": few}
    op.create_index(_INDEX, "landing_page", ["original_id"], **where)


def downgrade() -> None:
    op.drop_index(_INDEX, "landing_page")
    op.drop_column("landing_page", "original_id")
    op.drop_column("landing_page", "language")
    op.drop_column("landing_site", "language")
