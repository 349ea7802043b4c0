"""First revision: tables of users, credentials, jobs, switches, plugins, breakers and usage."""

import sqlalchemy as sa
from alembic import op

revision = "landyard_0001"
down_revision = None
branch_labels = ("landyard",)
depends_on = None


def upgrade() -> None:
    op.create_table(
        "landyard_user",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("admin", sa.Boolean, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    for name in ("landyard_webhook", "landyard_token"):
        user = sa.ForeignKey("landyard_user.id", ondelete="CASCADE")
        op.create_table(
            name,
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("user_id", sa.Integer, user, nullable=False, index=True),
            sa.Column("digest", sa.String(64), nullable=False, unique=True),
            sa.Column("scopes", sa.String, nullable=False),
            sa.Column("title", sa.String, nullable=False),
            sa.Column("active", sa.Boolean, nullable=False),
            sa.Column("expires_at", sa.DateTime),
            sa.Column("last_used_at", sa.DateTime),
            sa.Column("replaced_by", sa.Integer),
        )
    op.create_table(
        "landyard_job",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("begun_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "landyard_switch",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("changed_at", sa.DateTime, nullable=False),
        sa.Column("changed_by", sa.String, nullable=False),
    )
    op.create_table(
        "landyard_plugin",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("distribution", sa.String, primary_key=True),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("methods", sa.JSON, nullable=False),
        sa.Column("reported_at", sa.DateTime, nullable=False),
    )
    op.create_table(
        "landyard_breaker",
        sa.Column("method", sa.String, primary_key=True),
        sa.Column("plugin", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
    )
    op.create_table(
        "landyard_usage",
        sa.Column("plugin", sa.String, primary_key=True),
        sa.Column("minute", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("worker", sa.String, primary_key=True),
        sa.Column("errors", sa.Integer, nullable=False),
        sa.Column("spread", sa.String, nullable=False),
        sa.Column("last_error", sa.String, nullable=False),
        sa.Column("last_error_at", sa.DateTime),
    )


def downgrade() -> None:
    for name in ("token", "webhook", "user", "job", "switch", "plugin", "breaker", "usage"):
        op.drop_table(f"landyard_{name}")
