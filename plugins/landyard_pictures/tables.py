"""The tables of uploaded pictures: sizes and variants, alternative texts and focus."""

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
"""A picture by its file's key: its size, 0 if it cannot be decoded, and its variants.

`variants` are pairs of a width and a kind; each variant is a file beside the picture's own. A row
is removed with its file. Database triggers turn each change of this table into a new public
version.
"""


DETAIL = Table(
    "pictures_told",
    METADATA,
    Column("key", String, ForeignKey("landing_file.key", ondelete="CASCADE"), primary_key=True),
    Column("alt", String, nullable=False, default=""),
    Column("focus_x", Integer),
    Column("focus_y", Integer),
).c
"""The alternative text and focus of a picture, by its file's key: see `landyard.picture.update`.

The focus is in per cent from the left and from the top.
"""
