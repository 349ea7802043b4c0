"""Create the tables of the outbox, with a queue for each subject of a subscriber's events."""

import sqlalchemy as sa
from alembic import op

revision = "events_0001"
down_revision = None
branch_labels = ("events",)
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def texts(*names: str) -> list[sa.Column]:
    return [sa.Column(name, sa.String, nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "events_queue",
        sa.Column("id", NUMBER, primary_key=True),
        *texts("subscriber", "target", "subject"),
        sa.Column("due_at", sa.DateTime, nullable=False),
        *texts("holder"),
        sa.Column("tries", sa.Integer, nullable=False),
        *texts("error"),
        sa.UniqueConstraint("subscriber", "target", "subject"),
    )
    op.create_index("ix_events_queue_due", "events_queue", ["subscriber", "due_at"])
    op.create_table(
        "events_delivery",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("queue_id", sa.BigInteger, nullable=False),
        *texts("event_id", "topic", "body"),
        sa.Column("at", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_delivery_queue", "events_delivery", ["queue_id", "id"])
    op.create_table(
        "events_dead",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        *texts("subscriber", "target", "subject", "event_id", "topic", "body"),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("dead_at", sa.DateTime, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        *texts("error"),
    )


def downgrade() -> None:
    op.drop_table("events_dead")
    op.drop_table("events_delivery")
    op.drop_table("events_queue")
