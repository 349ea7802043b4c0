"""Remove the variants of pictures, so that all are made anew, in the right colours."""

from alembic import op

revision = "pictures_0002"
down_revision = "pictures_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM pictures_picture")


def downgrade() -> None:
    """Leave the table as it is: the older version makes what is missing."""
