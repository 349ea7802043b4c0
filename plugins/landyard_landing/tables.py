"""The tables of sites, folders, pages, blocks, manifests, templates, users' rights and files."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Index, UniqueConstraint, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing.languages import USUAL_LANGUAGE
from landyard_landing.theme_codes import USUAL_THEME

# SQLite never reuses the id of a removed row.
_NEVER_AGAIN: dict[str, Any] = {"sqlite_autoincrement": True}


# No foreign keys: sites and pages refer to each other. `lock_referenced_pages` locks a page
# before a call refers to it.
_PAGE: dict[str, Any] = {"info": {"names": "landing_page.id"}}
USER: dict[str, Any] = {"info": {"names": "landyard_user.id"}}
"""The `sa_column_kwargs` of columns with a user's id. No user is ever removed."""


def _now() -> datetime:
    return datetime.now(UTC)


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Site(Base, table=True):
    """A site: pages with a common address. It refers to pages of its own only, visible or not.

    `page_404_id` is the page for addresses without a page; `page_503_id` is stored for clients
    only.
    """

    __tablename__ = "landing_site"
    __table_args__ = (_NEVER_AGAIN,)

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    title: str = ""
    domain: str | None = Field(default=None, unique=True)
    main_page_id: int | None = Field(default=None, sa_column_kwargs=_PAGE)
    template_code: str = "empty"
    active: bool = True
    deleted: bool = False
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)
    description: str = ""
    xml_id: str = ""
    page_404_id: int | None = Field(default=None, sa_column_kwargs=_PAGE)
    page_503_id: int | None = Field(default=None, sa_column_kwargs=_PAGE)
    view_template: int | None = None
    additional_fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    language: str = Field(
        default=USUAL_LANGUAGE, sa_column_kwargs={"server_default": USUAL_LANGUAGE}
    )
    theme: str = Field(default=USUAL_THEME, sa_column_kwargs={"server_default": USUAL_THEME})
    theme_tokens: dict[str, Any] = Field(
        default_factory=dict, sa_type=JSON, sa_column_kwargs={"server_default": "{}"}
    )
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


SITES = table_of(Site)
SITE = SITES.c
"""The columns of the table of sites, for statements."""


class Folder(Base, table=True):
    """A folder of a site; `index_page_id` names the page shown at the folder's own address.

    Visitors see its pages while the folder and all folders above it are `active`.
    """

    __tablename__ = "landing_folder"
    __table_args__ = (UniqueConstraint("site_id", "parent_id", "code"), _NEVER_AGAIN)

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE", index=True)
    parent_id: int | None = Field(default=None, foreign_key="landing_folder.id")
    code: str
    title: str = ""
    index_page_id: int | None = Field(default=None, sa_column_kwargs=_PAGE)
    active: bool = True
    deleted: bool = False
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


FOLDERS = table_of(Folder)
FOLDER = FOLDERS.c
"""The columns of the table of folders, for statements."""


class Page(Base, table=True):
    """A page. `published` is whether a published version exists, `active` whether it is shown.

    Without a `language` it has that of its site. `template_fields` are the title and the texts for
    search engines of its template, see `sites/template_texts.py`. It is a translation of the page
    `original_id`, like all pages with the same `original_id`. Where that page was removed, the
    first of them names itself.
    """

    __tablename__ = "landing_page"
    __table_args__ = (
        Index("ix_landing_page_address", "site_id", "folder_id", "code"),
        Index(
            "ix_landing_page_trash",
            "deleted_at",
            sqlite_where=text("deleted"),  # PostgreSQL's too: see the migration
        ),
        # A partial index of the few pages with a rule: they are searched if no page has the
        # address.
        Index("ix_landing_page_rule", "site_id", "folder_id", sqlite_where=text("rule != ''")),
        Index(
            "ix_landing_page_original", "original_id", sqlite_where=text("original_id IS NOT NULL")
        ),
        _NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE")
    folder_id: int | None = Field(default=None, foreign_key="landing_folder.id", index=True)
    code: str
    title: str = ""
    description: str = ""
    active: bool = False
    published: bool = False
    deleted: bool = False
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)
    locked: bool = False
    area: bool = False
    rule: str = ""
    sitemap: str = "Y"
    date_public: datetime | None = Field(default=None, sa_type=Moment)
    xml_id: str = ""
    additional_fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    folder_flag: str = "N"
    view_template: int | None = None
    template_code: str | None = None
    template_fields: dict[str, Any] = Field(
        default_factory=dict, sa_type=JSON, sa_column_kwargs={"server_default": "{}"}
    )
    language: str | None = None
    original_id: int | None = Field(default=None, sa_column_kwargs=_PAGE)
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


PAGES = table_of(Page)
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


class Block(Base, table=True):
    """A block of a page: a draft, or the published copy of one (B1).

    Drafts and copies share their ids. `draft_id` is the draft from which a published block was
    copied, None where it is unknown. The draft may have been removed, or be on another page: if an
    undo brings it back, it is the same block for visitors. `policy` is the version of the
    sanitising policy that `content` has passed (H2).
    """

    __tablename__ = "landing_block"
    __table_args__ = (
        Index("ix_landing_block_page", "page_id", "public", "sort", "id"),
        # A partial index of the few blocks that mention files. The migration alone defines it for
        # PostgreSQL: a definition here would load that dialect into every service.
        Index("ix_landing_block_files", "page_id", sqlite_where=text(MENTIONS_FILES["sqlite"])),
        _NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    page_id: int = Field(foreign_key="landing_page.id", ondelete="CASCADE")
    public: bool = False
    draft_id: int | None = Field(default=None, index=True)
    code: str
    policy: int = 0
    sort: int = 500
    active: bool = True
    deleted: bool = False
    anchor: str | None = None
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""


BLOCKS = table_of(Block)
BLOCK = BLOCKS.c


class Manifest(Base, table=True):
    """A block type as a call or a world file has it; `digest` changes with any other column."""

    __tablename__ = "landing_manifest"

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    name: str = ""
    manifest: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""
    css: list[Any] = Field(default_factory=list, sa_type=JSON)
    js: list[Any] = Field(default_factory=list, sa_type=JSON)
    digest: str = ""


MANIFESTS = table_of(Manifest)
MANIFEST = MANIFESTS.c


class Template(Base, table=True):
    """A page template as a call or a world file has it."""

    __tablename__ = "landing_template"

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    title: str = ""
    description: str = ""
    fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    locked: bool = False
    blocks: list[Any] = Field(default_factory=list, sa_type=JSON)


TEMPLATES = table_of(Template)
TEMPLATE = TEMPLATES.c


class UserAccess(Base, table=True):
    """A user's access to sites (decisions, section 2). The primary key is the user's id.

    `rights` are the default rights on all sites, None where there are none.
    """

    __tablename__ = "landing_access"

    id: int | None = Field(default=None, primary_key=True)
    sites_access: bool = False
    rights: int | None = None


USER_ACCESS = table_of(UserAccess)
ACCESS = USER_ACCESS.c
"""The columns of the table of users' access to sites, for statements."""


class Right(Base, table=True):
    """A user's own set of rights on one site, in place of the default."""

    __tablename__ = "landing_right"
    __table_args__ = (UniqueConstraint("user_id", "site_id"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(sa_column_kwargs=USER)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE", index=True)
    rights: int = 0


RIGHTS = table_of(Right)
RIGHT = RIGHTS.c
"""The columns of the table of users' own rights on single sites, for statements."""


class File(Base, table=True):
    """An uploaded file, served at `/files/<key>/<name>`; `key` is random and never used again.

    `page_id` and `block_id` are the page and block for which it was uploaded. A `temporary` file is
    removed after a day unless a block uses it by then (U7).
    """

    __tablename__ = "landing_file"
    __table_args__ = (_NEVER_AGAIN,)

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    name: str
    type: str
    size: int
    page_id: int = Field(index=True)
    block_id: int
    temporary: bool = False
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0


FILES = table_of(File)
FILE = FILES.c
"""The columns of the table of uploaded files, for statements."""
