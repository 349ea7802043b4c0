"""The tables of frames' areas, of special pages, and of roles' rights on sites."""

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from landyard import table_of
from landyard_landing.tables import USER, Base


class Area(Base, table=True):
    """A page that is shown in an area of the frame of a site's pages, or of one page alone.

    The frame is either of the site `site_id` or of the page `framed_id`; `number` is the area's.
    """

    __tablename__ = "landing_area"

    id: int | None = Field(default=None, primary_key=True)
    site_id: int | None = Field(
        default=None, foreign_key="landing_site.id", ondelete="CASCADE", index=True
    )
    framed_id: int | None = Field(
        default=None, foreign_key="landing_page.id", ondelete="CASCADE", index=True
    )
    number: int
    page_id: int = Field(foreign_key="landing_page.id", ondelete="CASCADE", index=True)


AREA = table_of(Area).c


class SpecialPage(Base, table=True):
    """A page that a site has for a purpose, such as its cart."""

    __tablename__ = "landing_special_page"
    __table_args__ = (UniqueConstraint("site_id", "type"),)

    id: int | None = Field(default=None, primary_key=True)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE")
    type: str
    page_id: int = Field(foreign_key="landing_page.id", ondelete="CASCADE", index=True)


SPECIAL_PAGE = table_of(SpecialPage).c


class RoleDefault(Base, table=True):
    """The rights of a user's roles on sites of a type, for sites without a row in `ROLE_RIGHT`.

    `creates`: the roles let the user make sites of this type.
    """

    __tablename__ = "landing_role_default"
    __table_args__ = (UniqueConstraint("user_id", "site_type"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(sa_column_kwargs=USER)
    site_type: str
    rights: int = 0
    creates: bool = False


ROLE_DEFAULT = table_of(RoleDefault).c


class RoleRight(Base, table=True):
    """The rights of a user's roles on one site, in place of those for the site's type."""

    __tablename__ = "landing_role_right"
    __table_args__ = (UniqueConstraint("user_id", "site_id"),)

    id: int | None = Field(default=None, primary_key=True)
    user_id: int = Field(sa_column_kwargs=USER)
    site_id: int = Field(foreign_key="landing_site.id", ondelete="CASCADE", index=True)
    rights: int = 0


ROLE_RIGHT = table_of(RoleRight).c
