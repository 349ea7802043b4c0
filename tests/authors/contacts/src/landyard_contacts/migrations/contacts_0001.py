"""Contacts."""

import sqlalchemy as sa
from alembic import op

revision = "contacts_0001"
down_revision = None
branch_labels = ("contacts",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contacts_contact",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("email", sa.String),
        sa.Column("phones", sa.JSON, nullable=False),
        sa.Column("birthday", sa.Date),
        sa.Column("company", sa.String),
        sa.Column("rating", sa.Integer),
    )
    op.create_index("ix_contacts_contact_name", "contacts_contact", ["name"])
    op.create_index("ix_contacts_contact_company", "contacts_contact", ["company"])


def downgrade() -> None:
    op.drop_table("contacts_contact")
