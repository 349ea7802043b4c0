"""The tables of frames' areas, of special pages, and of roles' rights on sites."""

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, UniqueConstraint

from landyard import METADATA
from landyard_landing.tables import USER

AREA = Table(
    "landing_area",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("site_id", Integer, ForeignKey("landing_site.id", ondelete="CASCADE"), index=True),
    Column("framed_id", Integer, ForeignKey("landing_page.id", ondelete="CASCADE"), index=True),
    Column("number", Integer, nullable=False),
    Column(
        "page_id",
        Integer,
        ForeignKey("landing_page.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
).c
"""A page that is shown in an area of the frame of a site's pages, or of one page alone.

The frame is either of the site `site_id` or of the page `framed_id`; `number` is the area's.
"""


SPECIAL_PAGE = Table(
    "landing_special_page",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("site_id", Integer, ForeignKey("landing_site.id", ondelete="CASCADE"), nullable=False),
    Column("type", String, nullable=False),
    Column(
        "page_id",
        Integer,
        ForeignKey("landing_page.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    UniqueConstraint("site_id", "type"),
).c
"""A page that a site has for a purpose, such as its cart."""


ROLE_DEFAULT = Table(
    "landing_role_default",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("user_id", Integer, nullable=False, info=USER),
    Column("site_type", String, nullable=False),
    Column("rights", Integer, nullable=False, default=0),
    Column("creates", Boolean, nullable=False, default=False),
    UniqueConstraint("user_id", "site_type"),
).c
"""The rights of a user's roles on sites of a type, for sites without a row in `ROLE_RIGHT`.

`creates`: the roles let the user make sites of this type.
"""


ROLE_RIGHT = Table(
    "landing_role_right",
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
).c
"""The rights of a user's roles on one site, in place of those for the site's type."""
