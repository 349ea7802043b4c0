"""Changes PostgreSQL's index of blocks with files to a generated column, so edits change no index.

The former condition of the index read the HTML, so that each edit added an entry to every index of
blocks. An edit seldom changes the generated column.
"""

from alembic import op

revision = "landing_0008"
down_revision = "landing_0007"
branch_labels = None
depends_on = None

_ADD = """ALTER TABLE landing_block ADD COLUMN mentions_files boolean NOT NULL GENERATED ALWAYS AS (
    position('/files/' in content) > 0 OR position('/files/' in CAST(params AS text)) > 0
) STORED"""
_INDEX = "CREATE INDEX ix_landing_block_files ON landing_block (page_id) WHERE "


def upgrade() -> None:
    _run("DROP INDEX ix_landing_block_files", _ADD, f"{_INDEX}mentions_files")


def downgrade() -> None:
    _run(
        "ALTER TABLE landing_block DROP COLUMN mentions_files",  # and its index
        f"{_INDEX}position('/files/' in content) > 0",
    )


def _run(*statements: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        for each in statements:
            op.execute(each)
