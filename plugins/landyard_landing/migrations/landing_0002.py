"""Adds the tables of frames' areas, of special pages, and of roles' rights on sites."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0002"
down_revision = "landing_0001"
branch_labels = None
depends_on = None

# Any change of an area makes a new public version, as in `landing_0001`.
_BODY = {
    "sqlite": """
        BEGIN
            INSERT INTO landing_public (id, version) VALUES (1, random())
            ON CONFLICT (id) DO UPDATE SET version = excluded.version;
        END""",
    "postgresql": " EXECUTE FUNCTION landing_public_changed()",
}
_TABLES = ("landing_role_right", "landing_role_default", "landing_special_page", "landing_area")


def upgrade() -> None:
    _create_places()
    _create_role_rights()
    _count_versions()


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table)  # with its indices and triggers


def _create_places() -> None:
    op.create_table(
        "landing_area",
        _id(),
        _parent("site_id", "landing_site", nullable=True),
        _parent("framed_id", "landing_page", nullable=True),
        sa.Column("number", sa.Integer, nullable=False),
        _parent("page_id", "landing_page"),
    )
    for name in ("site_id", "framed_id", "page_id"):
        op.create_index(f"ix_landing_area_{name}", "landing_area", [name])
    op.create_table(
        "landing_special_page",
        _id(),
        _parent("site_id", "landing_site"),
        sa.Column("type", sa.String, nullable=False),
        _parent("page_id", "landing_page"),
        sa.UniqueConstraint("site_id", "type"),
    )
    op.create_index("ix_landing_special_page_page_id", "landing_special_page", ["page_id"])


def _create_role_rights() -> None:
    op.create_table(
        "landing_role_default",
        _id(),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("site_type", sa.String, nullable=False),
        sa.Column("rights", sa.Integer, nullable=False),
        sa.Column("creates", sa.Boolean, nullable=False),
        sa.UniqueConstraint("user_id", "site_type"),
    )
    op.create_table(
        "landing_role_right",
        _id(),
        sa.Column("user_id", sa.Integer, nullable=False),
        _parent("site_id", "landing_site"),
        sa.Column("rights", sa.Integer, nullable=False),
        sa.UniqueConstraint("user_id", "site_id"),
    )
    op.create_index("ix_landing_role_right_site_id", "landing_role_right", ["site_id"])


def _count_versions() -> None:
    body = _BODY[op.get_context().dialect.name]
    for event in ("insert", "update", "delete"):
        op.execute(
            f"CREATE TRIGGER landing_area_{event} AFTER {event.upper()} ON landing_area"
            f" FOR EACH ROW{body}"
        )


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _parent(name: str, table: str, *, nullable: bool = False) -> sa.Column[int]:
    """A foreign key with which a row is deleted together with its parent."""
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.Integer, key, nullable=nullable)
