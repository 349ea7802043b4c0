"""The database tables of the landing plugin: sites, pages, blocks, templates, rights, files."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from landyard import Moment, table_of
from landyard_landing.sites.languages import USUAL_LANGUAGE
from landyard_landing.themes.codes import USUAL_THEME

_NEVER_AGAIN = {"sqlite_autoincrement": True}  # the id of what is gone is never another's


def _now() -> datetime:
    return datetime.now(UTC)


class Site(SQLModel, table=True):
    """A site: pages with a common address. The pages that it names are its own, shown or not.

    `page_404_id` is shown where nothing is; `page_503_id` is kept for clients alone.
    """

    __tablename__ = "landing_site"
    __table_args__ = (_NEVER_AGAIN,)  # roles name sites by their ids

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    title: str = ""
    domain: str | None = Field(default=None, unique=True)
    main_page_id: int | None = None
    template_code: str = "empty"
    active: bool = True
    deleted: bool = False
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)
    description: str = ""
    xml_id: str = ""
    page_404_id: int | None = None
    page_503_id: int | None = None
    view_template: int | None = None
    additional_fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    language: str = Field(
        default=USUAL_LANGUAGE, sa_column_kwargs={"server_default": USUAL_LANGUAGE}
    )
    theme: str = Field(default=USUAL_THEME, sa_column_kwargs={"server_default": USUAL_THEME})
    theme_tokens: dict[str, str] = Field(
        default_factory=dict, sa_type=JSON, sa_column_kwargs={"server_default": "{}"}
    )
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


class Folder(SQLModel, table=True):
    """A folder of a site; `index_page_id` names the page shown at the folder's own address.

    Visitors see what is in it while it is `active`, with all folders around it.
    """

    __tablename__ = "landing_folder"
    __table_args__ = (UniqueConstraint("site_id", "parent_id", "code"), _NEVER_AGAIN)

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="landing_site.id", index=True, ondelete="CASCADE")
    parent_id: int | None = Field(default=None, foreign_key="landing_folder.id")
    code: str
    title: str = ""
    index_page_id: int | None = None
    active: bool = True
    deleted: bool = False
    deleted_at: datetime | None = Field(default=None, sa_type=Moment)
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


class Page(SQLModel, table=True):
    """A page. `published` is whether a published version exists, `active` whether it is shown.

    It has the language of its site where `language` is None. It is a translation of the page
    `original_id`, of which the others are translations as well.
    """

    __tablename__ = "landing_page"
    __table_args__ = (
        Index("ix_landing_page_address", "site_id", "folder_id", "code"),
        Index(
            "ix_landing_page_trash",
            "deleted_at",
            sqlite_where=text("deleted"),  # PostgreSQL's too: see the migration
        ),
        # The few pages that an address may lead to by a rule, where no page has it as its own.
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
    language: str | None = None
    original_id: int | None = None
    created_at: datetime = Field(default_factory=_now, sa_type=Moment)
    modified_at: datetime = Field(default_factory=_now, sa_type=Moment)
    created_by: int = 0
    modified_by: int = 0


MENTIONS_FILES = "content GLOB '*/files/*' OR params GLOB '*/files/*'"
"""Whether a block mentions a file, on SQLite: the condition of an index, word for word.

Each edit asks for both texts. `instr` compares byte by byte, and takes four times as long.
"""


class Block(SQLModel, table=True):
    """A block of a page: a draft, or the published copy of one (B1).

    Both share one id space. `draft_id` is the draft that a published block came from. That may be
    gone by now, or be another page's: if it comes back to the page, by an undo, it is the same
    block to visitors. It is None where it was never known. `policy` is the version of the
    sanitising policy that `content` went through (H2).
    """

    __tablename__ = "landing_block"
    __table_args__ = (
        Index("ix_landing_block_page", "page_id", "public", "sort", "id"),
        # The few blocks among which the users of a file are looked for. What it is on PostgreSQL
        # stands in the migration alone: here it would load that dialect into every service.
        Index("ix_landing_block_files", "page_id", sqlite_where=text(MENTIONS_FILES)),
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


class ManifestRow(SQLModel, table=True):
    """A block's manifest as it was given; `digest` changes with it."""

    __tablename__ = "landing_manifest"

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    name: str = ""
    manifest: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    content: str = ""
    css: list[str] = Field(default_factory=list, sa_type=JSON)
    js: list[str] = Field(default_factory=list, sa_type=JSON)
    digest: str = ""


class Template(SQLModel, table=True):
    """A page template as it was given in a world file."""

    __tablename__ = "landing_template"

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    type: str = "PAGE"
    title: str = ""
    description: str = ""
    fields: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    locked: bool = False
    blocks: list[Any] = Field(default_factory=list, sa_type=JSON)


class SiteAccess(SQLModel, table=True):
    """What a user may do with sites (decisions, section 2). The primary key is the user's id.

    `rights` is the default for all sites, None where there is none.
    """

    __tablename__ = "landing_access"

    id: int = Field(primary_key=True)
    sites_access: bool = False
    rights: int | None = None


class SiteRight(SQLModel, table=True):
    """A user's own set of rights on one site, in place of the default."""

    __tablename__ = "landing_right"
    __table_args__ = (UniqueConstraint("user_id", "site_id"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int
    site_id: int = Field(foreign_key="landing_site.id", index=True, ondelete="CASCADE")
    rights: int = 0


class File(SQLModel, table=True):
    """An uploaded file, served at `/files/<key>/<name>`; `key` is random and never used again.

    `page_id` and `block_id` say what it was uploaded for; a `temporary` one goes after a day
    unless a block came to use it (U7).
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


# The columns of each table, for statements.
SITE = table_of(Site).c
"""The columns of the table of sites, for statements."""
FOLDER = table_of(Folder).c
"""The columns of the table of folders, for statements."""
PAGE = table_of(Page).c
"""The columns of the table of pages, for statements."""
BLOCK = table_of(Block).c
MANIFEST = table_of(ManifestRow).c
TEMPLATE = table_of(Template).c
ACCESS = table_of(SiteAccess).c
"""The columns of the table of what users may do with sites, for statements."""
RIGHT = table_of(SiteRight).c
"""The columns of the table of users' own rights on single sites, for statements."""
FILE = table_of(File).c
"""The columns of the table of uploaded files, for statements."""
