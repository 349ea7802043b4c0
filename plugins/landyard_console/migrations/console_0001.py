"""Create the tables of sessions, of sign-in links, and of users' passwords."""

import sqlalchemy as sa
from alembic import op

revision = "console_0001"
down_revision = None
branch_labels = ("console",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "console_session",
        sa.Column("id", sa.Integer, primary_key=True),
        _user(index=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("address", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False, index=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "console_link",
        sa.Column("digest", sa.String(64), primary_key=True),
        _user(index=True),
        sa.Column("expires_at", sa.DateTime, nullable=False, index=True),
    )
    op.create_table(
        "console_password", _user(primary_key=True), sa.Column("hashed", sa.String, nullable=False)
    )


def downgrade() -> None:
    for name in ("password", "link", "session"):
        op.drop_table(f"console_{name}")


def _user(**more: bool) -> sa.Column[int]:
    owner = sa.ForeignKey("landyard_user.id", ondelete="CASCADE")
    return sa.Column("user_id", sa.Integer, owner, nullable=False, **more)
