"""Create the table of the files that visitors sent with forms."""

import sqlalchemy as sa
from alembic import op

revision = "forms_0002"
down_revision = "forms_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "forms_file",
        sa.Column("submission_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("field", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("forms_file")
