"""Files, edits taken back, ids that are never used again, and the version of what is public."""

import sqlalchemy as sa
from alembic import op

revision = "landing_0002"
down_revision = "landing_0001"
branch_labels = None
depends_on = None

# What of a row visitors can see: any change of such a row is a new public version.
_SEEN = {
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
# Random numbers, for a backup that is put back must not come to a version of later days again.
_BODY = {
    "sqlite": """
        BEGIN
            INSERT INTO landing_public (id, version) VALUES (1, random())
            ON CONFLICT (id) DO UPDATE SET version = excluded.version;
        END""",
    "postgresql": " EXECUTE FUNCTION landing_public_changed()",
}


def upgrade() -> None:
    dialect = op.get_context().dialect.name
    for table in ("landing_page", "landing_block"):
        if dialect == "sqlite":
            with op.batch_alter_table(
                table, recreate="always", table_kwargs={"sqlite_autoincrement": True}
            ):
                pass
    op.create_index(
        "ix_landing_page_trash",
        "landing_page",
        ["deleted_at"],
        sqlite_where=sa.text("deleted"),
        postgresql_where=sa.text("deleted"),
    )
    op.create_index(
        "ix_landing_block_files",
        "landing_block",
        ["id"],
        sqlite_where=sa.text("instr(content, '/files/') > 0 OR instr(params, '/files/') > 0"),
        postgresql_where=sa.text("position('/files/' in content) > 0"),
    )
    for name in ("undone", "discarded"):
        op.add_column(
            "landing_history",
            sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()),
        )
    op.create_table(
        "landing_file",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String, nullable=False, unique=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("block_id", sa.Integer, nullable=False),
        sa.Column("temporary", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("created_by", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_landing_file_page_id", "landing_file", ["page_id"])
    op.create_table(
        "landing_public",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    if dialect == "postgresql":
        op.execute(_FUNCTION)
    for table, flag in _SEEN.items():
        for event, rows in _ROWS.items():
            seen = " OR ".join(f"{row}.{flag}" for row in rows)
            when = f" WHEN ({seen})" if flag else ""
            op.execute(
                f"CREATE TRIGGER {table}_{event} AFTER {event.upper()} ON {table}"
                f" FOR EACH ROW{when}{_BODY[dialect]}"
            )


def downgrade() -> None:
    for table in _SEEN:
        for event in _ROWS:
            of = f" ON {table}" if op.get_context().dialect.name == "postgresql" else ""
            op.execute(f"DROP TRIGGER {table}_{event}{of}")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION landing_public_changed()")
    op.drop_table("landing_public")
    op.drop_table("landing_file")
    for name in ("undone", "discarded"):
        op.drop_column("landing_history", name)
    op.drop_index("ix_landing_block_files", "landing_block")
    op.drop_index("ix_landing_page_trash", "landing_page")
