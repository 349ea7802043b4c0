"""Adds `template_fields` to pages: the title and texts for search engines of their template.

So a renamed page can show its own title. Existing pages keep their texts.
"""

import sqlalchemy as sa
from alembic import op

revision = "landing_0011"
down_revision = "landing_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("template_fields", sa.JSON(), nullable=False, server_default="{}")
    op.add_column("landing_page", column)


def downgrade() -> None:
    op.drop_column("landing_page", "template_fields")
