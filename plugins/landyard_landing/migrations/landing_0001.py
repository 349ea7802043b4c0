"""The first tables of the landing plugin, and the triggers that count public versions."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "landing_0001"
down_revision = None
branch_labels = ("landing",)
depends_on = None

# Visitors see rows of these tables where the column is true, or all rows without a column. Any
# change of such a row makes a new public version.
_PUBLIC = {
    "landing_site": "",
    "landing_folder": "",
    "landing_manifest": "",
    "landing_page": "active",
    "landing_block": "public",
}
_ROWS = {"insert": ("NEW",), "update": ("OLD", "NEW"), "delete": ("OLD",)}
_FUNCTION = """
CREATE FUNCTION landing_public_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A transaction writes its own number, once: no two versions are ever the same.
    INSERT INTO landing_public (id, version) VALUES (1, txid_current())
    ON CONFLICT (id) DO UPDATE SET version = excluded.version
    WHERE landing_public.version <> excluded.version;
    RETURN NULL;
END $$
"""
# Random numbers: after a backup is restored, a counter would repeat versions.
_BODY = {
    "sqlite": """
        BEGIN
            INSERT INTO landing_public (id, version) VALUES (1, random())
            ON CONFLICT (id) DO UPDATE SET version = excluded.version;
        END""",
    "postgresql": " EXECUTE FUNCTION landing_public_changed()",
}


_TABLES = (
    "file history right access template manifest block page folder site public"  # references first
)


def upgrade() -> None:
    _create_sites()
    _create_pages()
    _create_catalogue()
    _create_rights()
    _create_history()
    _create_files()
    _create_public_version()


def downgrade() -> None:
    for name in _TABLES.split():
        op.drop_table(f"landing_{name}")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION landing_public_changed()")


def _create_sites() -> None:
    op.create_table(
        "landing_site",
        _id(),
        *_text("code", unique=True),
        *_text("type", "title"),
        *_text("domain", nullable=True, unique=True),
        *_number("main_page_id", nullable=True),
        *_text("template_code"),
        *_flag("active", "deleted"),
        *_moment("deleted_at", nullable=True),
        *_text("description", "xml_id"),
        *_number("page_404_id", "page_503_id", "view_template", nullable=True),
        *_json("additional_fields"),
        *_moment("created_at", "modified_at"),
        *_number("created_by", "modified_by"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "landing_folder",
        _id(),
        _parent("site_id", "landing_site"),
        sa.Column("parent_id", sa.Integer, sa.ForeignKey("landing_folder.id")),
        *_text("code", "title"),
        *_number("index_page_id", nullable=True),
        *_flag("active", "deleted"),
        *_moment("deleted_at", nullable=True),
        *_moment("created_at", "modified_at"),
        *_number("created_by", "modified_by"),
        sa.UniqueConstraint("site_id", "parent_id", "code"),
    )
    op.create_index("ix_landing_folder_site_id", "landing_folder", ["site_id"])


def _create_pages() -> None:
    op.create_table(
        "landing_page",
        _id(),
        _parent("site_id", "landing_site"),
        sa.Column("folder_id", sa.Integer, sa.ForeignKey("landing_folder.id")),
        *_text("code", "title", "description"),
        *_flag("active", "published", "deleted"),
        *_moment("deleted_at", nullable=True),
        *_flag("locked", "area"),
        *_text("rule", "sitemap"),
        *_moment("date_public", nullable=True),
        *_text("xml_id"),
        *_json("additional_fields"),
        *_text("folder_flag"),
        *_number("view_template", nullable=True),
        *_text("template_code", nullable=True),
        *_moment("created_at", "modified_at"),
        *_number("created_by", "modified_by"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_landing_page_address", "landing_page", ["site_id", "folder_id", "code"])
    op.create_index("ix_landing_page_folder_id", "landing_page", ["folder_id"])
    op.create_index(
        "ix_landing_page_trash",
        "landing_page",
        ["deleted_at"],
        sqlite_where=sa.text("deleted"),
        postgresql_where=sa.text("deleted"),
    )
    op.create_index(
        "ix_landing_page_rule",
        "landing_page",
        ["site_id", "folder_id"],
        sqlite_where=sa.text("rule != ''"),
        postgresql_where=sa.text("rule != ''"),
    )
    op.create_table(
        "landing_block",
        _id(),
        _parent("page_id", "landing_page"),
        *_flag("public"),
        *_number("draft_id", nullable=True),
        *_text("code"),
        *_number("policy", "sort"),
        *_flag("active", "deleted"),
        *_text("anchor", nullable=True),
        *_moment("created_at", "modified_at"),
        *_number("created_by", "modified_by"),
        # Last: SQLite reads a row up to the last selected column, and these take many pages.
        *_json("params"),
        *_text("content"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_landing_block_page", "landing_block", ["page_id", "public", "sort", "id"])
    op.create_index("ix_landing_block_draft_id", "landing_block", ["draft_id"])
    op.create_index(
        "ix_landing_block_files",
        "landing_block",
        ["id"],
        sqlite_where=sa.text("instr(content, '/files/') > 0 OR instr(params, '/files/') > 0"),
        postgresql_where=sa.text("position('/files/' in content) > 0"),
    )


def _create_catalogue() -> None:
    op.create_table(
        "landing_manifest",
        _id(),
        *_text("code", unique=True),
        *_text("name"),
        *_json("manifest"),
        *_text("content"),
        *_json("css", "js"),
        *_text("digest"),
    )
    op.create_table(
        "landing_template",
        _id(),
        *_text("code", unique=True),
        *_text("type", "title", "description"),
        *_json("fields"),
        *_flag("locked"),
        *_json("blocks"),
    )


def _create_rights() -> None:
    op.create_table(
        "landing_access",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        *_flag("sites_access"),
        *_number("rights", nullable=True),
    )
    op.create_table(
        "landing_right",
        _id(),
        *_number("user_id"),
        _parent("site_id", "landing_site"),
        *_number("rights"),
        sa.UniqueConstraint("user_id", "site_id"),
    )
    op.create_index("ix_landing_right_site_id", "landing_right", ["site_id"])


def _create_history() -> None:
    op.create_table(
        "landing_history",
        _id(),
        _parent("page_id", "landing_page"),
        *_number("block_id", "user_id"),
        *_moment("at"),
        *_text("method"),
        *_json("before", "after"),
        *_flag("undone", "discarded"),
    )
    op.create_index("ix_landing_history_page_id", "landing_history", ["page_id"])


def _create_files() -> None:
    op.create_table(
        "landing_file",
        _id(),
        *_text("key", unique=True),
        *_text("name", "type"),
        *_number("size", "page_id", "block_id"),
        *_flag("temporary"),
        *_moment("created_at"),
        *_number("created_by"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_landing_file_page_id", "landing_file", ["page_id"])


def _create_public_version() -> None:
    op.create_table("landing_public", _id(), sa.Column("version", sa.BigInteger, nullable=False))
    dialect = op.get_context().dialect.name
    if dialect == "postgresql":
        op.execute(_FUNCTION)
    for table, flag in _PUBLIC.items():
        for event, rows in _ROWS.items():
            is_public = " OR ".join(f"{row}.{flag}" for row in rows)
            when = f" WHEN ({is_public})" if flag else ""
            op.execute(
                f"CREATE TRIGGER {table}_{event} AFTER {event.upper()} ON {table}"
                f" FOR EACH ROW{when}{_BODY[dialect]}"
            )


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _parent(name: str, table: str) -> sa.Column[int]:
    """A foreign key with which a row is deleted together with its parent."""
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.Integer, key, nullable=False)


def _columns(kind: Any) -> Callable[..., list[sa.Column[Any]]]:
    def make(
        *names: str, nullable: bool = False, unique: bool | None = None
    ) -> list[sa.Column[Any]]:
        return [sa.Column(name, kind, nullable=nullable, unique=unique) for name in names]

    return make


_text, _number, _flag = _columns(sa.String), _columns(sa.Integer), _columns(sa.Boolean)
_json, _moment = _columns(sa.JSON), _columns(sa.DateTime)
