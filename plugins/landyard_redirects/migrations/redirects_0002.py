"""Record the old address of a moved draft, too, if something on its site links to it."""

from alembic import op

revision = "redirects_0002"
down_revision = "redirects_0001"
branch_labels = None
depends_on = None

_INSERT = "INSERT INTO redirects_old (kind, site_id, parent_id, code, target_id)"
_VALUES = "'page', OLD.site_id, coalesce(OLD.folder_id, 0), OLD.code, OLD.id"
_MOVED = (
    "OLD.site_id <> NEW.site_id OR OLD.code <> NEW.code"
    " OR coalesce(OLD.folder_id, 0) <> coalesce(NEW.folder_id, 0)"
)
# Nobody has seen a draft's address, but its author may have linked to it.
_LINKED = (
    "EXISTS (SELECT 1 FROM landing_block AS block JOIN landing_page AS page"
    " ON page.id = block.page_id WHERE page.site_id = OLD.site_id AND NOT block.deleted"
    " AND ({0} > 0 OR {1} > 0))"
)


def upgrade() -> None:
    _make(_MOVED, "{linked}")


def downgrade() -> None:
    _make(f"OLD.published AND ({_MOVED})", "true")


def _make(when: str, kept: str) -> None:
    on_sqlite = op.get_context().dialect.name == "sqlite"
    after_slash, at_start = (
        f"instr(block.content, {text})" if on_sqlite else f"strpos(block.content, {text})"
        for text in ("'/' || OLD.code", "'\"' || OLD.code")
    )
    linked = f"OLD.published OR {_LINKED.format(after_slash, at_start)}"
    statement = f"{_INSERT} SELECT {_VALUES} WHERE {kept.format(linked=linked)}"
    op.execute("DROP TRIGGER redirects_page" + ("" if on_sqlite else " ON landing_page"))
    body = f"BEGIN {statement}; END"
    if not on_sqlite:
        op.execute(
            "CREATE OR REPLACE FUNCTION redirects_keep_page() RETURNS trigger"
            " LANGUAGE plpgsql AS $$"
            f" BEGIN {statement}; RETURN NULL; END $$"
        )
        body = "EXECUTE FUNCTION redirects_keep_page()"
    op.execute(
        "CREATE TRIGGER redirects_page AFTER UPDATE OF site_id, folder_id, code ON landing_page"
        f" FOR EACH ROW WHEN ({when}) {body}"
    )
