"""Create the table of links to drafts."""

import sqlalchemy as sa
from alembic import op

revision = "sharing_0001"
down_revision = None
branch_labels = ("sharing",)
depends_on = None


def upgrade() -> None:
    page = sa.ForeignKey("landing_page.id", ondelete="CASCADE")
    op.create_table(
        "sharing_link",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("page_id", sa.Integer, page, nullable=False, index=True),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False, index=True),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("sharing_link")
