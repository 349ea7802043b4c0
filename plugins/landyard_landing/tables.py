"""The tables of sites, folders, pages, blocks, manifests, templates, users' rights and files."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from landyard import METADATA, Moment
from landyard_landing.languages import USUAL_LANGUAGE
from landyard_landing.theme_codes import USUAL_THEME

# SQLite never reuses the id of a removed row.
_NEVER_AGAIN: dict[str, Any] = {"sqlite_autoincrement": True}


# No foreign keys: sites and pages refer to each other. `hold_named` locks a page before a call
# refers to it.
_PAGE: dict[str, Any] = {"names": "landing_page.id"}
USER: dict[str, Any] = {"names": "landyard_user.id"}
"""The `info` of columns with a user's id. No user is ever removed."""


def _now() -> datetime:
    return datetime.now(UTC)


def _signed() -> Iterator[Column[Any]]:
    """Make the columns for the moment and the user of a row's creation and last change."""
    for name in ("created_at", "modified_at"):
        yield Column(name, Moment, nullable=False, default=_now)
    for name in ("created_by", "modified_by"):
        yield Column(name, Integer, nullable=False, default=0)


SITES = Table(
    "landing_site",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("code", String, nullable=False, unique=True),
    Column("type", String, nullable=False, default="PAGE"),
    Column("title", String, nullable=False, default=""),
    Column("domain", String, unique=True),
    Column("main_page_id", Integer, info=_PAGE),
    Column("template_code", String, nullable=False, default="empty"),
    Column("active", Boolean, nullable=False, default=True),
    Column("deleted", Boolean, nullable=False, default=False),
    Column("deleted_at", Moment),
    Column("description", String, nullable=False, default=""),
    Column("xml_id", String, nullable=False, default=""),
    Column("page_404_id", Integer, info=_PAGE),
    Column("page_503_id", Integer, info=_PAGE),
    Column("view_template", Integer),
    Column("additional_fields", JSON, nullable=False, default=dict),
    Column(
        "language", String, nullable=False, default=USUAL_LANGUAGE, server_default=USUAL_LANGUAGE
    ),
    Column("theme", String, nullable=False, default=USUAL_THEME, server_default=USUAL_THEME),
    Column("theme_tokens", JSON, nullable=False, default=dict, server_default="{}"),
    *_signed(),
    **_NEVER_AGAIN,
)
"""A site: pages with a common address. It refers to pages of its own only, visible or not.

`page_404_id` is the page for addresses without a page; `page_503_id` is stored for clients only.
"""
SITE = SITES.c
"""The columns of the table of sites, for statements."""


FOLDERS = Table(
    "landing_folder",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column(
        "site_id",
        Integer,
        ForeignKey("landing_site.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("parent_id", Integer, ForeignKey("landing_folder.id")),
    Column("code", String, nullable=False),
    Column("title", String, nullable=False, default=""),
    Column("index_page_id", Integer, info=_PAGE),
    Column("active", Boolean, nullable=False, default=True),
    Column("deleted", Boolean, nullable=False, default=False),
    Column("deleted_at", Moment),
    *_signed(),
    UniqueConstraint("site_id", "parent_id", "code"),
    **_NEVER_AGAIN,
)
"""A folder of a site; `index_page_id` names the page shown at the folder's own address.

Visitors see its pages while the folder and all folders above it are `active`.
"""
FOLDER = FOLDERS.c
"""The columns of the table of folders, for statements."""


PAGES = Table(
    "landing_page",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("site_id", Integer, ForeignKey("landing_site.id", ondelete="CASCADE"), nullable=False),
    Column("folder_id", Integer, ForeignKey("landing_folder.id"), index=True),
    Column("code", String, nullable=False),
    Column("title", String, nullable=False, default=""),
    Column("description", String, nullable=False, default=""),
    Column("active", Boolean, nullable=False, default=False),
    Column("published", Boolean, nullable=False, default=False),
    Column("deleted", Boolean, nullable=False, default=False),
    Column("deleted_at", Moment),
    Column("locked", Boolean, nullable=False, default=False),
    Column("area", Boolean, nullable=False, default=False),
    Column("rule", String, nullable=False, default=""),
    Column("sitemap", String, nullable=False, default="Y"),
    Column("date_public", Moment),
    Column("xml_id", String, nullable=False, default=""),
    Column("additional_fields", JSON, nullable=False, default=dict),
    Column("folder_flag", String, nullable=False, default="N"),
    Column("view_template", Integer),
    Column("template_code", String),
    Column("template_fields", JSON, nullable=False, default=dict, server_default="{}"),
    Column("language", String),
    Column("original_id", Integer, info=_PAGE),
    *_signed(),
    Index("ix_landing_page_address", "site_id", "folder_id", "code"),
    Index(
        "ix_landing_page_trash",
        "deleted_at",
        sqlite_where=text("deleted"),  # PostgreSQL's too: see the migration
    ),
    # A partial index of the few pages with a rule; they are searched if no page has the address.
    Index("ix_landing_page_rule", "site_id", "folder_id", sqlite_where=text("rule != ''")),
    Index("ix_landing_page_original", "original_id", sqlite_where=text("original_id IS NOT NULL")),
    **_NEVER_AGAIN,
)
"""A page. `published` is whether a published version exists, `active` whether it is shown.

Without a `language` it has that of its site. `template_fields` are the title and the texts for
search engines of its template, see `sites/template_texts.py`. It is a translation of the page
`original_id`, like all pages with the same `original_id`. Where that page was removed, the first of
them names itself.
"""
PAGE = PAGES.c
"""The columns of the table of pages, for statements."""


MENTIONS_FILES = {
    "sqlite": "content GLOB '*/files/*' OR params GLOB '*/files/*'",
    "postgresql": "mentions_files",
}
"""Whether a block mentions a file: the condition of an index, word for word.

On PostgreSQL it is a generated column, which only the migration defines.

Each edit evaluates it for the old and the new text. `instr` compares byte by byte, and would take
four times as long.
"""


BLOCKS = Table(
    "landing_block",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("page_id", Integer, ForeignKey("landing_page.id", ondelete="CASCADE"), nullable=False),
    Column("public", Boolean, nullable=False, default=False),
    Column("draft_id", Integer, index=True),
    Column("code", String, nullable=False),
    Column("policy", Integer, nullable=False, default=0),
    Column("sort", Integer, nullable=False, default=500),
    Column("active", Boolean, nullable=False, default=True),
    Column("deleted", Boolean, nullable=False, default=False),
    Column("anchor", String),
    *_signed(),
    Column("params", JSON, nullable=False, default=dict),
    Column("content", String, nullable=False, default=""),
    Index("ix_landing_block_page", "page_id", "public", "sort", "id"),
    # A partial index of the few blocks that mention files. The migration alone defines it for
    # PostgreSQL: a definition here would load that dialect into every service.
    Index("ix_landing_block_files", "page_id", sqlite_where=text(MENTIONS_FILES["sqlite"])),
    **_NEVER_AGAIN,
)
"""A block of a page: a draft, or the published copy of one (B1).

Drafts and copies share their ids. `draft_id` is the draft from which a published block was copied,
None where it is unknown. The draft may have been removed, or be on another page: if an undo brings
it back, it is the same block for visitors. `policy` is the version of the sanitising policy that
`content` has passed (H2).
"""
BLOCK = BLOCKS.c


MANIFESTS = Table(
    "landing_manifest",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("code", String, nullable=False, unique=True),
    Column("name", String, nullable=False, default=""),
    Column("manifest", JSON, nullable=False, default=dict),
    Column("content", String, nullable=False, default=""),
    Column("css", JSON, nullable=False, default=list),
    Column("js", JSON, nullable=False, default=list),
    Column("digest", String, nullable=False, default=""),
)
"""A block type as a call or a world file has it; `digest` changes with any other column."""
MANIFEST = MANIFESTS.c


TEMPLATES = Table(
    "landing_template",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("code", String, nullable=False, unique=True),
    Column("type", String, nullable=False, default="PAGE"),
    Column("title", String, nullable=False, default=""),
    Column("description", String, nullable=False, default=""),
    Column("fields", JSON, nullable=False, default=dict),
    Column("locked", Boolean, nullable=False, default=False),
    Column("blocks", JSON, nullable=False, default=list),
)
"""A page template as a call or a world file has it."""
TEMPLATE = TEMPLATES.c


USER_ACCESS = Table(
    "landing_access",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("sites_access", Boolean, nullable=False, default=False),
    Column("rights", Integer),
)
"""A user's access to sites (decisions, section 2). The primary key is the user's id.

`rights` are the default rights on all sites, None where there are none.
"""
ACCESS = USER_ACCESS.c
"""The columns of the table of users' access to sites, for statements."""


RIGHTS = Table(
    "landing_right",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("user_id", Integer, nullable=False, info=USER),
    Column(
        "site_id",
        Integer,
        ForeignKey("landing_site.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("rights", Integer, nullable=False, default=0),
    UniqueConstraint("user_id", "site_id"),
)
"""A user's own set of rights on one site, in place of the default."""
RIGHT = RIGHTS.c
"""The columns of the table of users' own rights on single sites, for statements."""


FILES = Table(
    "landing_file",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("type", String, nullable=False),
    Column("size", Integer, nullable=False),
    Column("page_id", Integer, nullable=False, index=True),
    Column("block_id", Integer, nullable=False),
    Column("temporary", Boolean, nullable=False, default=False),
    Column("created_at", Moment, nullable=False, default=_now),
    Column("created_by", Integer, nullable=False, default=0),
    **_NEVER_AGAIN,
)
"""An uploaded file, served at `/files/<key>/<name>`; `key` is random and never used again.

`page_id` and `block_id` are the page and block for which it was uploaded. A `temporary` file is
removed after a day unless a block uses it by then (U7).
"""
FILE = FILES.c
"""The columns of the table of uploaded files, for statements."""
