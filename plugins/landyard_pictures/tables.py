"""The table of what is known of uploaded pictures: their sizes and variants."""

from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from landyard import table_of
from landyard_landing import may_undo


class PictureRow(SQLModel, table=True):
    """A picture by its file's key: its size, 0 where it cannot be decoded, and its variants.

    `variants` are pairs of a width and a kind; each is a file beside the picture's own. A row goes
    with its file. Database triggers make each change of this table a new public version.
    """

    __tablename__ = "pictures_picture"
    __table_args__ = ({"info": {"undo": "never"}},)

    key: str = Field(primary_key=True, foreign_key="landing_file.key", ondelete="CASCADE")
    width: int = 0
    height: int = 0
    variants: list[Any] = Field(default_factory=list, sa_type=JSON)


class ToldRow(SQLModel, table=True):
    """What people say of a picture, by its file's key: see `landyard.picture.update`.

    The focus is in percent from the left and from the top.
    """

    __tablename__ = "pictures_told"

    key: str = Field(primary_key=True, foreign_key="landing_file.key", ondelete="CASCADE")
    alt: str = ""
    focus_x: int | None = None
    focus_y: int | None = None


PICTURE = table_of(PictureRow).c
TOLD = table_of(ToldRow).c
TOLD.key.table.info["undo_may"] = may_undo
