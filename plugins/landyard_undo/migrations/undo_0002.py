"""Remove the values of passwords, sessions and sign-in links from the journal."""

from alembic import op

revision = "undo_0002"
down_revision = "undo_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "UPDATE undo_entry SET before = '{}', after = '{}'"
        " WHERE of_table IN ('console_session', 'console_link', 'console_password')"
    )


def downgrade() -> None:
    """Do nothing: the removed values cannot be restored."""
