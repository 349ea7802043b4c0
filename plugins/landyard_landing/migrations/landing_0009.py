"""Normalises the codes of sites, folders and pages to the Unicode form that browsers send.

Where another row in the same folder has the normalised code already, the code gets `_` and four
letters behind it.
"""

import secrets
import string
from typing import Any

import sqlalchemy as sa
from alembic import op

from landyard import spelt

revision = "landing_0009"
down_revision = "landing_0008"
branch_labels = None
depends_on = None

_LONGEST = 255
_SITES = sa.table("landing_site", sa.column("id"), sa.column("code"))
_FOLDERS = sa.table(
    "landing_folder", *(sa.column(name) for name in ("id", "code", "site_id", "parent_id"))
)
_PAGES = sa.table(
    "landing_page",
    *(sa.column(name) for name in ("id", "code", "site_id", "folder_id")),
    sa.column("deleted", sa.Boolean),
)


def upgrade() -> None:
    _write_anew({_SITES: sa.select(_SITES)})
    folders, pages = sa.select(_FOLDERS), sa.select(_PAGES)
    _write_anew({_FOLDERS: folders, _PAGES: pages.where(~_PAGES.c.deleted)})
    _write_anew({_PAGES: pages.where(_PAGES.c.deleted)})  # pages in the trash have no address


def downgrade() -> None:
    """Leave the codes: every release reads them."""


def _write_anew(queries: dict[Any, Any]) -> None:
    """Normalise the codes of these rows, which must differ from each other in each folder."""
    connection = op.get_bind()
    rows = [(table, row) for table, query in queries.items() for row in connection.execute(query)]
    used = {(*row[2:4], row.code) for _, row in rows}
    for table, row in rows:
        code = spelt(row.code)
        if code in {row.code, ""}:
            continue
        free = code
        while (*row[2:4], free) in used:
            letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(4))
            free = f"{code[: _LONGEST - 5]}_{letters}"
        used.add((*row[2:4], free))
        connection.execute(sa.update(table).where(table.c.id == row.id).values(code=free))
