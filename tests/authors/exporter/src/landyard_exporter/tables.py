"""The tables. A change here needs a file in `migrations` that brings it to the databases."""

from datetime import datetime

from landyard import Moment
from sqlmodel import Field, SQLModel


class Row(SQLModel, table=True):
    """An event of a page: its time, user, kind and subject."""

    __tablename__ = "exporter_row"

    id: int | None = Field(default=None, primary_key=True)
    happened_at: datetime = Field(sa_type=Moment, index=True)
    user_id: int
    topic: str
    page_id: int = Field(index=True)
    site_id: int
    block_id: int | None = None
