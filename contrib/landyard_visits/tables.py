"""The table of visit counts, a row for each page and day; visitors are not recorded."""

from datetime import date

from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

from landyard import table_of


class Base(SQLModel, registry=registry(metadata=SQLModel.metadata)):
    """The base of the models; other plugins may have classes of the same names."""


class DayRow(Base, table=True):
    """The visits of a page on a day, which begins at midnight UTC."""

    __tablename__ = "visits_day"

    page_id: int = Field(primary_key=True)
    day: date = Field(primary_key=True, index=True)
    visits: int


DAY = table_of(DayRow).c
