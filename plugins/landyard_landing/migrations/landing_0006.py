"""Keeps SQLite from reusing the id of a removed folder for a new folder.

An undo would put pages into the new folder.
"""

import sqlalchemy as sa
from alembic import op

revision = "landing_0006"
down_revision = "landing_0005"
branch_labels = None
depends_on = None

_TABLE, _NEW = "landing_folder", "landing_folder_new"
# Indices and triggers of the table, also those of other plugins.
_WITH_IT = (
    "SELECT sql FROM sqlite_master WHERE tbl_name = 'landing_folder'"
    " AND type IN ('index', 'trigger') AND sql IS NOT NULL"
)


def upgrade() -> None:
    _make_anew(autoincrement=True)


def downgrade() -> None:
    _make_anew(autoincrement=False)


def _make_anew(*, autoincrement: bool) -> None:
    """Create the table again with its rows: the only way in SQLite to change `AUTOINCREMENT`."""
    if op.get_context().dialect.name != "sqlite":
        return
    run = op.get_bind().exec_driver_sql
    with_it = list(run(_WITH_IT).scalars())
    op.create_table(
        _NEW,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "site_id",
            sa.Integer,
            sa.ForeignKey("landing_site.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("parent_id", sa.Integer, sa.ForeignKey("landing_folder.id")),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("index_page_id", sa.Integer),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
        sa.Column("deleted_at", sa.DateTime),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("modified_at", sa.DateTime, nullable=False),
        sa.Column("created_by", sa.Integer, nullable=False),
        sa.Column("modified_by", sa.Integer, nullable=False),
        sa.UniqueConstraint("site_id", "parent_id", "code"),
        sqlite_autoincrement=autoincrement,
    )
    run(f"INSERT INTO {_NEW} SELECT * FROM {_TABLE}")  # noqa: S608 - names of ours
    op.drop_table(_TABLE)
    run("PRAGMA legacy_alter_table=ON")  # references in other tables keep the name
    op.rename_table(_NEW, _TABLE)
    run("PRAGMA legacy_alter_table=OFF")  # other migrations use the same connection
    for statement in with_it:
        run(statement)
