"""Indexes the blocks that mention files by page id, formerly by their own id."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0005"
down_revision = "landing_0004"
branch_labels = None
depends_on = None

_NAME, _TABLE = "ix_landing_block_files", "landing_block"


def upgrade() -> None:
    _make_anew("page_id")


def downgrade() -> None:
    _make_anew("id")


def _make_anew(column: str) -> None:
    op.drop_index(_NAME, _TABLE)
    op.create_index(
        _NAME,
        _TABLE,
        [column],
        sqlite_where=sa.text("instr(content, '/files/') > 0 OR instr(params, '/files/') > 0"),
        postgresql_where=sa.text("position('/files/' in content) > 0"),
    )
