"""Nothing names a page that is gone: sites and folders name none, translations go together.

Until now a call could name a page in the moment in which another one removed it. Translations of
a page that was removed named it on: the first of them stands for it, and names itself.
"""

from alembic import op

revision = "landing_0010"
down_revision = "landing_0009"
branch_labels = None
depends_on = None

_NAMED = (
    ("landing_site", "main_page_id"),
    ("landing_site", "page_404_id"),
    ("landing_site", "page_503_id"),
    ("landing_folder", "index_page_id"),
)
_FORGET = """UPDATE {table} SET {column} = NULL WHERE {column} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM landing_page WHERE landing_page.id = {table}.{column})"""
_FIRST = """UPDATE landing_page SET original_id = groups.first
    FROM (SELECT original_id AS gone, min(id) AS first FROM landing_page GROUP BY original_id)
        AS groups
    WHERE landing_page.original_id = groups.gone
        AND groups.gone NOT IN (SELECT id FROM landing_page)"""


def upgrade() -> None:
    for table, column in _NAMED:
        op.execute(_FORGET.format(table=table, column=column))
    op.execute(_FIRST)


def downgrade() -> None:
    """Leave it so: what named nothing names nothing."""
