"""Create the tables of apps, of users' grants to them, and of digests of codes and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "oauth_0001"
down_revision = None
branch_labels = ("oauth",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "oauth_app",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("client_id", sa.String, nullable=False, unique=True),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("digest", "title", "redirect_uris", "scopes", "application_token")
        ),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "oauth_grant",
        sa.Column("id", sa.Integer, primary_key=True),
        _owned("app_id", "oauth_app.id"),
        _owned("user_id", "landyard_user.id"),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("scopes", "redirect_uri", "challenge")
        ),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("ends_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "oauth_secret",
        sa.Column("id", sa.Integer, primary_key=True),
        _owned("grant_id", "oauth_grant.id"),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("expires_at", sa.DateTime, nullable=False),
        sa.Column("used_at", sa.DateTime, nullable=True),
    )
    for table, column in (
        *(("oauth_grant", "app_id"), ("oauth_grant", "user_id"), ("oauth_grant", "ends_at")),
        ("oauth_secret", "grant_id"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _owned(name: str, owner: str) -> sa.Column[int]:
    foreign = sa.ForeignKey(owner, ondelete="CASCADE")
    return sa.Column(name, sa.Integer, foreign, nullable=False)


def downgrade() -> None:
    for table in ("oauth_secret", "oauth_grant", "oauth_app"):
        op.drop_table(table)
