"""Clears references of sites and folders to removed pages, and links translations without original.

Until now a call could refer to a page while another call removed it. Translations of a removed page
still named it: now all name the first of them, and this names itself.
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
    """Change nothing: the references were to removed pages."""
