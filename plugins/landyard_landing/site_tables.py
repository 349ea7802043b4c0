"""Tables of what sites and pages are for one another: areas of frames, special pages, and roles."""

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from landyard import table_of


class Area(SQLModel, table=True):
    """A page that is shown in an area of the frame of a site's pages, or of one page alone.

    Either `site_id` or `framed_id` says whose frame it is; `number` is the area's.
    """

    __tablename__ = "landing_area"

    id: int | None = Field(default=None, primary_key=True)
    site_id: int | None = Field(
        default=None, foreign_key="landing_site.id", index=True, ondelete="CASCADE"
    )
    framed_id: int | None = Field(
        default=None, foreign_key="landing_page.id", index=True, ondelete="CASCADE"
    )
    number: int
    page_id: int = Field(foreign_key="landing_page.id", index=True, ondelete="CASCADE")


class SpecialPage(SQLModel, table=True):
    """A page that a site has for a purpose, such as its cart."""

    __tablename__ = "landing_special_page"
    __table_args__ = (UniqueConstraint("site_id", "type"),)

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE")
    type: str
    page_id: int = Field(foreign_key="landing_page.id", index=True, ondelete="CASCADE")


class RoleDefault(SQLModel, table=True):
    """What a user's roles allow on sites of a type that they say nothing else of.

    `creates`: they let the user make sites of it.
    """

    __tablename__ = "landing_role_default"
    __table_args__ = (UniqueConstraint("user_id", "site_type"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int
    site_type: str
    rights: int = 0
    creates: bool = False


class RoleRight(SQLModel, table=True):
    """What a user's roles allow on one site, in place of their default."""

    __tablename__ = "landing_role_right"
    __table_args__ = (UniqueConstraint("user_id", "site_id"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int
    site_id: int = Field(foreign_key="landing_site.id", index=True, ondelete="CASCADE")
    rights: int = 0


AREA = table_of(Area).c
"""The columns of the table of pages in areas of frames, for statements."""
SPECIAL_PAGE = table_of(SpecialPage).c
"""The columns of the table of special pages, for statements."""
ROLE_DEFAULT = table_of(RoleDefault).c
"""The columns of the table of what users' roles allow by default, for statements."""
ROLE_RIGHT = table_of(RoleRight).c
"""The columns of the table of what users' roles allow on single sites, for statements."""
