"""Create the table of uploaded pictures, with triggers that make a new public version."""

import sqlalchemy as sa
from alembic import op

revision = "pictures_0001"
down_revision = None
branch_labels = ("pictures",)
depends_on = None

# As the landing plugin has it for its own tables: pages are rendered from this one too.
_BODY = {
    "sqlite": "BEGIN INSERT INTO landing_public (id, version) VALUES (1, random())"
    " ON CONFLICT (id) DO UPDATE SET version = excluded.version; END",
    "postgresql": "EXECUTE FUNCTION landing_public_changed()",
}
_EVENTS = ("INSERT", "UPDATE", "DELETE")


def upgrade() -> None:
    op.create_table(
        "pictures_picture",
        _key(),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("variants", sa.JSON, nullable=False),
    )
    op.create_table(
        "pictures_told",
        _key(),
        sa.Column("alt", sa.String, nullable=False),
        sa.Column("focus_x", sa.Integer),
        sa.Column("focus_y", sa.Integer),
    )
    body = _BODY[op.get_context().dialect.name]
    for table in ("pictures_picture", "pictures_told"):
        for event in _EVENTS:
            op.execute(
                f"CREATE TRIGGER {table}_{event.lower()} AFTER {event} ON {table}"
                f" FOR EACH ROW {body}"
            )


def downgrade() -> None:
    op.drop_table("pictures_told")
    op.drop_table("pictures_picture")


def _key() -> "sa.Column[str]":
    key = sa.ForeignKey("landing_file.key", ondelete="CASCADE")
    return sa.Column("key", sa.String, key, primary_key=True)
