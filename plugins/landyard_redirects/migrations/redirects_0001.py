"""Create the table of old addresses, and triggers that record moves of sites, folders and pages."""

import sqlalchemy as sa
from alembic import op

revision = "redirects_0001"
down_revision = None
branch_labels = ("redirects",)
depends_on = None

# Of each trigger: the table, the columns, when it acts, and what it keeps of the old row: kind,
# site, folder, code, target. A draft that nobody has seen leaves nothing behind.
_ELSEWHERE = "coalesce(OLD.folder_id, 0) <> coalesce(NEW.folder_id, 0)"
_KEPT = {
    "page": (
        "landing_page",
        "site_id, folder_id, code",
        f"OLD.published AND (OLD.site_id <> NEW.site_id OR OLD.code <> NEW.code OR {_ELSEWHERE})",
        "'page', OLD.site_id, coalesce(OLD.folder_id, 0), OLD.code, OLD.id",
    ),
    "folder": (
        "landing_folder",
        "parent_id, code",
        "OLD.code <> NEW.code OR coalesce(OLD.parent_id, 0) <> coalesce(NEW.parent_id, 0)",
        "'folder', OLD.site_id, coalesce(OLD.parent_id, 0), OLD.code, OLD.id",
    ),
    "site": (
        "landing_site",
        "code, domain",
        "OLD.domain IS NULL AND (OLD.code <> NEW.code OR NEW.domain IS NOT NULL)",
        "'site', 0, 0, OLD.code, OLD.id",
    ),
    "domain": (
        "landing_site",
        "domain",
        "OLD.domain IS NOT NULL AND OLD.domain <> coalesce(NEW.domain, '')",
        "'domain', 0, 0, OLD.domain, OLD.id",
    ),
}
_INSERT = "INSERT INTO redirects_old (kind, site_id, parent_id, code, target_id) VALUES"


def upgrade() -> None:
    op.create_table(
        "redirects_old",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("parent_id", sa.Integer, nullable=False),
        sa.Column("code", sa.String, nullable=False),
        sa.Column("target_id", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    address = ["code", "kind", "site_id", "parent_id", "id"]
    op.create_index("ix_redirects_old_address", "redirects_old", address)
    op.create_index("ix_redirects_old_target", "redirects_old", ["kind", "target_id", "id"])
    on_sqlite = op.get_context().dialect.name == "sqlite"
    for name, (table, columns, when, values) in _KEPT.items():
        body = f"BEGIN {_INSERT} ({values}); END"
        if not on_sqlite:
            op.execute(
                f"CREATE FUNCTION redirects_keep_{name}() RETURNS trigger LANGUAGE plpgsql AS $$"
                f" BEGIN {_INSERT} ({values}); RETURN NULL; END $$"
            )
            body = f"EXECUTE FUNCTION redirects_keep_{name}()"
        op.execute(
            f"CREATE TRIGGER redirects_{name} AFTER UPDATE OF {columns} ON {table}"
            f" FOR EACH ROW WHEN ({when}) {body}"
        )


def downgrade() -> None:
    on_sqlite = op.get_context().dialect.name == "sqlite"
    for name, (table, *_) in _KEPT.items():
        op.execute(
            f"DROP TRIGGER IF EXISTS redirects_{name}" + ("" if on_sqlite else f" ON {table}")
        )
        if not on_sqlite:
            op.execute(f"DROP FUNCTION redirects_keep_{name}()")
    op.drop_table("redirects_old")
