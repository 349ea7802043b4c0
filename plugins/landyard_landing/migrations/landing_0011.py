"""A page keeps the title and the texts for search engines that its template gave it.

So a page that is renamed can show its own title. Pages that there are keep what they show.
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
