"""The table of what is known of uploaded pictures: their sizes and variants."""

from sqlalchemy import JSON, Column, ForeignKey, Integer, String, Table

from landyard import METADATA

PICTURE = Table(
    "pictures_picture",
    METADATA,
    Column("key", String, ForeignKey("landing_file.key", ondelete="CASCADE"), primary_key=True),
    Column("width", Integer, nullable=False, default=0),
    Column("height", Integer, nullable=False, default=0),
    Column("variants", JSON, nullable=False, default=list),
).c
"""A picture by its file's key: its size, 0 where it cannot be decoded, and its variants.

`variants` are pairs of a width and a kind; each is a file beside the picture's own. A row goes
with its file. Database triggers make each change of this table a new public version.
"""


TOLD = Table(
    "pictures_told",
    METADATA,
    Column("key", String, ForeignKey("landing_file.key", ondelete="CASCADE"), primary_key=True),
    Column("alt", String, nullable=False, default=""),
    Column("focus_x", Integer),
    Column("focus_y", Integer),
).c
"""What people say of a picture, by its file's key: see `landyard.picture.update`.

The focus is in percent from the left and from the top.
"""
