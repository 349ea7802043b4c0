"""The tables of uploaded pictures: sizes and variants, alternative texts and focus."""

from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of this plugin's tables; other plugins may have classes of the same names."""


class Picture(Base, table=True):
    """A picture by its file's key: its size, 0 if it cannot be decoded, and its variants.

    `variants` are pairs of a width and a kind; each variant is a file beside the picture's own. A
    row is removed with its file. Database triggers turn each change of this table into a new public
    version.
    """

    __tablename__ = "pictures_picture"

    key: str = Field(primary_key=True, foreign_key="landing_file.key", ondelete="CASCADE")
    width: int = 0
    height: int = 0
    variants: list[Any] = Field(default_factory=list, sa_type=JSON)


PICTURE = table_of(Picture).c


class PictureDetail(Base, table=True):
    """The alternative text and focus of a picture, by its file's key.

    `landyard.picture.update` sets them. The focus is in per cent from the left and from the top.
    """

    __tablename__ = "pictures_told"

    key: str = Field(primary_key=True, foreign_key="landing_file.key", ondelete="CASCADE")
    alt: str = ""
    focus_x: int | None = None
    focus_y: int | None = None


DETAIL = table_of(PictureDetail).c
