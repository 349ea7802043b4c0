"""Create the tables of submissions, and of the key that signs times."""

import sqlalchemy as sa
from alembic import op

revision = "forms_0001"
down_revision = None
branch_labels = ("forms",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "forms_submission",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("form_id", sa.Integer, nullable=False),
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.DateTime, nullable=False),
        sa.Column("answers", sa.JSON, nullable=False),
        sa.Column("consent", sa.String, nullable=False),
        sa.Column("sender", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("likeness", sa.String, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_forms_submission_form", "forms_submission", ["form_id", "sent_at"])
    op.create_index("ix_forms_submission_page_id", "forms_submission", ["page_id"])
    op.create_index("ix_forms_submission_sent_at", "forms_submission", ["sent_at"])
    op.create_table(
        "forms_key",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("forms_key")
    op.drop_table("forms_submission")
